-- What the Overview asks for, so that it costs what is shown and not what is stored: durations of all
-- tools apart from those of each, decisions that somebody labelled apart from all others, and what is
-- open told in few passes.

-- Its text stands where it is asked, as do those of rates and counts below.
drop macro table rolled_quantiles;
drop macro table rolled_shares;
drop macro table rolled_counts;
drop macro table rolled_calls;

-- Durations of calls by tool in stretches of 1, 6, 24 and 168 hours that begin at multiples of their
-- length: few of them tile any period. rollup_time holds the durations of all tools together.
create table rollup_tool_time (
    n_hours smallint not null,
    hour integer not null,
    tool_name varchar not null,
    lat_bucket smallint not null,
    n bigint not null
);
insert into rollup_tool_time
select
    1 as n_hours,
    hour,
    tool_name,
    lat_bucket,
    n
from rollup_time
where counted = 'call'
order by hour, tool_name, lat_bucket;
insert into rollup_tool_time
select
    6 as n_hours,
    hour - hour % 6 as hour,
    tool_name,
    lat_bucket,
    sum(n)::bigint as n
from rollup_time
where counted = 'call'
group by hour - hour % 6, tool_name, lat_bucket
order by hour, tool_name, lat_bucket;
insert into rollup_tool_time
select
    24 as n_hours,
    day * 24 as hour,
    tool_name,
    lat_bucket,
    n
from rollup_time_day
where counted = 'call'
order by hour, tool_name, lat_bucket;
insert into rollup_tool_time
select
    168 as n_hours,
    day * 24 - day * 24 % 168 as hour,
    tool_name,
    lat_bucket,
    sum(n)::bigint as n
from rollup_time_day
where counted = 'call'
group by day * 24 - day * 24 % 168, tool_name, lat_bucket
order by hour, tool_name, lat_bucket;

create table whole_time (
    hour integer not null,
    counted varchar not null,
    lat_bucket smallint not null,
    n bigint not null,
    total_ns bigint not null
);
insert into whole_time
select
    hour,
    counted,
    lat_bucket,
    sum(n)::bigint as n,
    sum(total_ns)::bigint as total_ns
from rollup_time
group by hour, counted, lat_bucket
order by hour, counted, lat_bucket;
drop table rollup_time;
alter table whole_time rename to rollup_time;
create table whole_time_day (
    day integer not null,
    counted varchar not null,
    lat_bucket smallint not null,
    n bigint not null,
    total_ns bigint not null
);
insert into whole_time_day
select
    day,
    counted,
    lat_bucket,
    sum(n)::bigint as n,
    sum(total_ns)::bigint as total_ns
from rollup_time_day
group by day, counted, lat_bucket
order by day, counted, lat_bucket;
drop table rollup_time_day;
alter table whole_time_day rename to rollup_time_day;

-- When anything that figures count began.
create view counted_time as
select start_time_ns as time_ns
from trace
union all
select start_time_ns as time_ns
from tool_call
union all
select start_time_ns as time_ns
from attempt
union all
select time_ns
from decision
union all
select time_ns
from guard_evaluation;

-- What the open chains add, in one pass: why one does not count, and what the retries of the others were.
create or replace view open_count as
with chains as (
    select
        trace_id,
        hour,
        tool_name,
        n_tries,
        unnest(
            case
                when reason <> 'counted' then [reason]
                when n_tries > 1 and is_explicit then ['retry', 'explicit']
                when n_tries > 1 then ['retry']
            end
        ) as kind
    from open_chain
)

select
    trace_id,
    hour,
    'attempt' as counted,
    '' as tool_name,
    '' as name,
    reason as kind,
    1 as n
from open_attempt
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    'model' as counted,
    '' as tool_name,
    '' as name,
    reason as kind,
    1 as n
from open_model_call
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    'chain' as counted,
    tool_name,
    '' as name,
    kind,
    case when kind = 'retry' then n_tries - 1 else 1 end as n
from chains
union all
select
    open_call.trace_id,
    open_call.hour,
    'call' as counted,
    open_call.tool_name,
    '' as name,
    'futile_retry' as kind,
    call_retry_open.n_futile as n
from open_call
inner join call_retry_open using (trace_id, call_index)
where call_retry_open.n_futile > 0
    and open_call.hour is not null
union all
select
    trace_id,
    hour,
    'evaluation' as counted,
    tool_name,
    rule as name,
    reason as kind,
    1 as n
from open_evaluation
where reason <> 'counted';

-- What rates are about, one row a case: a chain, a failed call, an evaluation.
create view open_case as
with chains as (
    select
        trace_id,
        hour,
        tool_name,
        n_tries > 1 as is_retried,
        last_status,
        unnest(
            case
                when n_tries > 1 and last_status in ('ok', 'error') then ['retry', 'retry_success']
                else ['retry']
            end
        ) as share
    from open_chain
    where reason = 'counted'
)

select
    trace_id,
    hour,
    share,
    tool_name,
    null::varchar as name,
    case when share = 'retry' then is_retried else last_status = 'ok' end::integer as numerator
from chains
union all
select
    trace_id,
    hour,
    'error' as share,
    tool_name,
    error_type as name,
    0 as numerator
from open_call
where outcome = 'error'
    and not is_pseudo
    and hour is not null
union all
select
    trace_id,
    hour,
    'guard' as share,
    tool_name,
    rule as name,
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted';

-- One row a trace, hour, tool and name.
create or replace view open_share as
select
    trace_id,
    hour,
    share,
    tool_name,
    name,
    count(*) as n,
    sum(numerator)::bigint as numerator
from open_case
group by trace_id, hour, share, tool_name, name;

-- The sealed decisions of labelled traces, with the start of their trace: they are few among many.
create table labelled_decision (
    trace_id uuid not null,
    turn_index integer not null,
    call_index integer,
    decision_id uuid not null,
    tool_name varchar not null,
    contract_version varchar,
    model varchar,
    agent_name varchar,
    is_pseudo boolean not null,
    time_ns bigint,
    trace_start_time_ns bigint
);
-- The traces of which labelled_decision holds every sealed decision.
create table labelled_trace (trace_id uuid not null);

-- Votes beside the decision that they are about, placed at its time or that of its trace, with why it
-- does not count ('counted': it does; then it has a verdict unless annotators are tied). Sealed decisions
-- are looked for only until the first look after their label.
create or replace view judged_decision as
with unseen as (
    select label.trace_id
    from label
    anti join labelled_trace using (trace_id)
),

unseen_trace as (
    select
        trace_id,
        start_time_ns
    from trace_sealed
    where trace_id in (select unseen.trace_id from unseen)
),

decided as (
    select
        decision_open.trace_id,
        decision_open.turn_index,
        decision_open.call_index,
        decision_open.decision_id,
        decision_open.tool_name,
        decision_open.contract_version,
        decision_open.model,
        decision_open.agent_name,
        decision_open.is_pseudo,
        coalesce(decision_open.time_ns, trace_open.start_time_ns) as placed_time_ns
    from decision_open
    left join trace_open using (trace_id)
    where decision_open.trace_id in (select label.trace_id from label)
    union all
    select
        trace_id,
        turn_index,
        call_index,
        decision_id,
        tool_name,
        contract_version,
        model,
        agent_name,
        is_pseudo,
        coalesce(time_ns, trace_start_time_ns) as placed_time_ns
    from labelled_decision
    union all
    select
        decision_sealed.trace_id,
        decision_sealed.turn_index,
        decision_sealed.call_index,
        decision_sealed.decision_id,
        decision_sealed.tool_name,
        decision_sealed.contract_version,
        decision_sealed.model,
        decision_sealed.agent_name,
        decision_sealed.is_pseudo,
        coalesce(decision_sealed.time_ns, unseen_trace.start_time_ns) as placed_time_ns
    from decision_sealed
    left join unseen_trace using (trace_id)
    where decision_sealed.trace_id in (select unseen.trace_id from unseen)
),

placed as (
    select
        vote.*,
        decided.decision_id,
        decided.tool_name,
        decided.contract_version,
        decided.model,
        decided.agent_name,
        decided.is_pseudo,
        decided.trace_id is null as is_missing,
        decided.placed_time_ns
    from vote
    left join decided
        on vote.trace_id = decided.trace_id
        and vote.turn_index = decided.turn_index
        and vote.call_index = coalesce(decided.call_index, -1)
),

reasoned as (
    select
        *,
        case
            when is_missing then 'decision_not_stored'
            when placed_time_ns is null then 'no_start_time'
            when is_pseudo then 'pseudo_tool'
            when n_judges = 0 then 'not_human'
            when n_votes = 0 then 'cant_tell'
            else 'counted'
        end as reason
    from placed
)

select
    source,
    trace_id,
    turn_index,
    call_index,
    decision_id,
    tool_name,
    contract_version,
    model,
    agent_name,
    placed_time_ns,
    reason,
    inclusion_probability,
    1 / inclusion_probability as weight,
    case when reason = 'counted' then has_selection else 0 end as has_selection,
    is_selection_ok,
    case when reason = 'counted' then has_call else 0 end as has_call,
    is_call_ok
from reasoned;
