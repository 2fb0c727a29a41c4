-- How an audit draw was made is kept with it, several people share one, what they pass over is told
-- with its reason, and where they disagree one of them settles it.

-- All NULL for draws from before this was kept.
alter table audit_batch add column n integer;
alter table audit_batch add column per_trace integer;
alter table audit_batch add column strata varchar[];
alter table audit_batch add column allocation varchar;
alter table audit_batch add column n_double integer;
alter table audit_batch add column frame_query varchar;

-- Which part of the frame an item was drawn from, and by how many people it is to be labelled.
alter table audit_item add column stratum integer;
alter table audit_item add column n_raters integer;

-- The parts of a frame. NULL means any tool, version or kind; '' a decision that names no version.
create table audit_stratum (
    batch_id uuid not null,
    stratum integer not null,
    tool_name varchar,
    contract_version varchar,
    is_suspicious boolean,
    n_frame integer not null,
    n_traces integer not null,
    n_drawn integer not null
);

-- What a rater passed over, and why; a label given later takes its place.
create table audit_skip (
    batch_id uuid not null,
    position integer not null,
    annotator varchar not null,
    reason varchar not null,
    time_ns bigint not null
);

-- People judge; in replay rules do too. Where raters disagreed and somebody adjudicated, that label
-- alone is a ballot of a judge; a rater is a person who judged before that. A right tool with wrong arguments is a right selection.
create or replace view ballot as
with settled as (
    select distinct
        trace_id,
        turn_index,
        call_index
    from label_latest
    where source = 'adjudication'
        and annotator_kind = 'HUMAN'
)

select
    case when label_latest.source = 'adjudication' then 'audit' else label_latest.source end
        as source,
    label_latest.trace_id,
    label_latest.turn_index,
    label_latest.call_index,
    label_latest.annotator,
    label_latest.annotator_kind,
    label_latest.label,
    label_latest.sub,
    label_latest.expected_tool,
    label_latest.inclusion_probability,
    case
        when label_latest.source = 'audit' and settled.trace_id is not null then 0
        when label_latest.annotator_kind = 'HUMAN' then 1
        when label_latest.annotator_kind = 'RULE' and label_latest.source = 'replay' then 1
        else 0
    end as is_judge,
    case
        when label_latest.source = 'audit' and label_latest.annotator_kind = 'HUMAN' then 1
        else 0
    end as is_rater,
    case
        when label_latest.label in ('CORRECT_NO_CALL', 'RIGHT', 'ACCEPTABLE_ALTERNATIVE') then 1
        when label_latest.label = 'RIGHT_TOOL_WRONG_ARGS' then 1
        else 0
    end as is_selection_ok,
    case
        when label_latest.label in ('CORRECT_NO_CALL', 'RIGHT', 'ACCEPTABLE_ALTERNATIVE') then 1
        else 0
    end as is_call_ok
from label_latest
left join settled
    on label_latest.trace_id = settled.trace_id
    and label_latest.turn_index = settled.turn_index
    and label_latest.call_index = settled.call_index;
