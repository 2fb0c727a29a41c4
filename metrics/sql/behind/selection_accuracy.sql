-- What: the traces behind selection and call accuracy,
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; n counts decisions, units weighs them. Denominator: none.
-- Excluded: what selection_accuracy.sql excludes.
with judged as (
    select
        trace_id,
        weight,
        has_selection,
        is_selection_ok,
        has_call,
        is_call_ok
    from judged_decision
    where
        source = $source
        and (
            reason = 'decision_not_stored'
            or (
                ($tool_name is null or tool_name = $tool_name)
                and ($agent_name is null or agent_name = $agent_name)
            )
        )
        and (
            (placed_time_ns >= $start_time_ns and placed_time_ns < $end_time_ns)
            or placed_time_ns is null
        )
),

verdict as (
    select
        trace_id,
        weight,
        case when $is_whole_call then has_call else has_selection end as is_judged,
        case when $is_whole_call then is_call_ok else is_selection_ok end as is_ok
    from judged
),

counted as (
    select
        trace_id,
        weight,
        case
            when $part = 'numerator' then is_judged * is_ok
            when $part = 'worst' then is_judged * (1 - is_ok)
            else is_judged
        end as is_counted
    from verdict
),

part as (
    select
        trace_id,
        sum(is_counted) as n,
        sum(is_counted * weight) as units
    from counted
    group by trace_id
),

kept as (
    select
        p.trace_id,
        t.start_time_ns,
        p.n,
        p.units as units
    from part as p
    left join trace as t on t.trace_id = p.trace_id
    where p.n > 0
),

total as (
    select
        count(*) as n_traces,
        sum(n) as total_n,
        sum(units) as total_units
    from kept
),

final as (
    select
        hex_trace(k.trace_id) as trace_id,
        k.start_time_ns,
        k.n,
        k.units,
        total.n_traces,
        total.total_n,
        total.total_units
    from kept as k
    cross join total
)

select
    trace_id,
    start_time_ns,
    n,
    units,
    n_traces,
    total_n,
    total_units
from final
order by
    start_time_ns desc nulls last,
    trace_id
limit $limit offset $offset
