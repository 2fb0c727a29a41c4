-- What observations add to figures, row by row (0038 keeps it in rollups).

-- Derived: one row an observation, of several versions of its span that which counts (see observation_current),
-- placed at its start or that of its trace.
create table observed_open (
    trace_id uuid not null,
    span_id ubigint not null,
    time_ns bigint,
    hour integer,
    n_cells integer not null,
    n_multi_source_cells integer not null,
    n_conflicts integer not null,
    n_unknown integer not null,
    confidence_millionths bigint not null,
    is_noisy boolean not null,
    parse_ns bigint
);
create table observed_sealed as from observed_open;
create view observed as from observed_open union all from observed_sealed;

-- What is not a number, or too large to be summed once it is scaled, adds nothing.
create macro scaled(value, factor) as case
    when isfinite(value * factor) and abs(value * factor) < 9e15 then round(value * factor)::bigint
end;
-- Whether a trace has so many cells that its squares could be too large for the sums of an hour.
create macro is_outsized(share, n, numerator) as
    share in ('conflict', 'unknown', 'confidence', 'noise')
    and greatest(n, abs(numerator) // case when share = 'confidence' then 1000000 else 1 end) > 10000;
-- The square of a numerator; of confidence, which is in millionths, in millionths too.
create macro squared(share, numerator) as case
    when share = 'confidence' then round(numerator::double * numerator / 1000000)
    else numerator::double * numerator
end;

-- What the open traces add: as before, and their observations.
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
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    'observation' as counted,
    '' as tool_name,
    '' as name,
    case when hour is null then 'no_start_time' else 'no_facts' end as kind,
    1 as n
from observed_open
where hour is null
    or n_cells = 0
union all
select
    trace_id,
    hour,
    'parse' as counted,
    '' as tool_name,
    '' as name,
    case when hour is null then 'no_start_time' else 'no_parse_time' end as kind,
    1 as n
from observed_open
where hour is null
    or parse_ns is null;

create or replace view open_time as
select
    trace_id,
    hour,
    'call' as counted,
    tool_name,
    duration_ns
from open_call
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'attempt' as counted,
    tool_name,
    duration_ns
from open_attempt
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'model' as counted,
    '' as tool_name,
    duration_ns
from open_model_call
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'parse' as counted,
    '' as tool_name,
    parse_ns as duration_ns
from observed_open
where hour is not null
    and parse_ns is not null;

-- What rates are about: a chain, a failed call, an evaluation ('guard_of_tool' are the evaluations once more,
-- whatever their rule); the cells of an observation are n cases in one row.
create or replace view open_case as
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
),

observations as (
    select
        trace_id,
        hour,
        unnest(['conflict', 'unknown', 'confidence', 'noise']) as share,
        unnest([n_multi_source_cells, n_cells, n_cells, 1]) as n,
        unnest([n_conflicts, n_unknown, confidence_millionths, is_noisy::integer]) as numerator
    from observed_open
    where hour is not null
)

select
    trace_id,
    hour,
    share,
    tool_name,
    null::varchar as name,
    1 as n,
    case when share = 'retry' then is_retried else last_status = 'ok' end::integer as numerator
from chains
union all
select
    trace_id,
    hour,
    'error' as share,
    tool_name,
    error_type as name,
    1 as n,
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
    1 as n,
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'guard_of_tool' as share,
    tool_name,
    null::varchar as name,
    1 as n,
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted'
union all
select
    trace_id,
    hour,
    share,
    '' as tool_name,
    null::varchar as name,
    n,
    numerator
from observations
where n <> 0;

-- One row a trace, hour, tool and name.
create or replace view open_share as
select
    trace_id,
    hour,
    share,
    tool_name,
    name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator
from open_case
group by trace_id, hour, share, tool_name, name;

-- Of what is sealed; open traces are derived again, and shipped where the store ships.
insert into observed_sealed by name
select
    observation_current.trace_id,
    observation_current.span_id,
    coalesce(observation_current.time_ns, trace_sealed.start_time_ns) as time_ns,
    (coalesce(observation_current.time_ns, trace_sealed.start_time_ns) // 3600000000000)::integer as hour,
    observation_current.n_cells,
    observation_current.n_multi_source_cells,
    observation_current.n_conflicts,
    observation_current.n_unknown,
    coalesce(scaled(observation_current.n_cells * observation_current.mean_confidence, 1e6), 0)
        as confidence_millionths,
    coalesce(observation_current.n_noise_hit > 0, false) as is_noisy,
    scaled(observation_current.parse_ms, 1e6) as parse_ns
from observation_current
inner join trace_sealed using (trace_id)
order by hour, trace_id;
insert into dirty_trace (trace_id, first_received_time_ns, last_received_time_ns)
select
    trace_id,
    coalesce(first_received_time_ns, last_received_time_ns),
    last_received_time_ns
from trace_open
semi join observation using (trace_id);
