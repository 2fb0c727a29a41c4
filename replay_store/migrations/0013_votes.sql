-- Which labels count, said once: the latest of each annotator, and what the judges among them say.

-- A call_index of -1 is a decision to call nothing.
create view label_latest as
select
    source,
    trace_id,
    turn_index,
    coalesce(call_index, -1) as call_index,
    annotator,
    argMax(
        label,
        (coalesce(time_ns, received_time_ns), received_time_ns, record_index)
    ) as label,
    argMax(
        coalesce(sub, ''),
        (coalesce(time_ns, received_time_ns), received_time_ns, record_index)
    ) as sub,
    argMax(
        coalesce(expected_tool, ''),
        (coalesce(time_ns, received_time_ns), received_time_ns, record_index)
    ) as expected_tool,
    argMax(
        annotator_kind,
        (coalesce(time_ns, received_time_ns), received_time_ns, record_index)
    ) as annotator_kind,
    max(inclusion_probability) as inclusion_probability
from label
group by source, trace_id, turn_index, coalesce(call_index, -1), annotator;

-- People judge; in replay rules do too. A right tool with wrong arguments is a right selection.
create view ballot as
select
    source,
    trace_id,
    turn_index,
    call_index,
    annotator,
    label,
    sub,
    expected_tool,
    inclusion_probability,
    case
        when annotator_kind = 'HUMAN' then 1
        when annotator_kind = 'RULE' and source = 'replay' then 1
        else 0
    end as is_judge,
    case
        when label in ('CORRECT_NO_CALL', 'RIGHT', 'ACCEPTABLE_ALTERNATIVE') then 1
        when label = 'RIGHT_TOOL_WRONG_ARGS' then 1
        else 0
    end as is_selection_ok,
    case
        when label in ('CORRECT_NO_CALL', 'RIGHT', 'ACCEPTABLE_ALTERNATIVE') then 1
        else 0
    end as is_call_ok
from label_latest;

-- One row a decision that somebody labelled; the majority of n_votes decides, half of them nothing.
create view vote as
select
    source,
    trace_id,
    turn_index,
    call_index,
    max(inclusion_probability) as inclusion_probability,
    sum(is_judge) as n_judges,
    sum(case when label <> 'CANT_TELL' then is_judge else 0 end) as n_votes,
    sum(is_judge * is_selection_ok) as n_selection_ok,
    sum(is_judge * is_call_ok) as n_call_ok
from ballot
group by source, trace_id, turn_index, call_index;
