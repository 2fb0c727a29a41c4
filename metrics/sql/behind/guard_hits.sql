-- What: the traces behind guard hits (numerator) or guard evaluations (denominator),
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; evaluations. Denominator: none.
-- Excluded: what guard_hits.sql excludes.
with placed as (
    select
        g.trace_id,
        g.is_hit,
        g.is_synthetic,
        g.decision,
        coalesce(g.time_ns, t.start_time_ns) as placed_time_ns
    from guard_evaluation as g
    left join trace as t on t.trace_id = g.trace_id
    where
        ($tool_name is null or g.tool_name = $tool_name)
        and ($agent_name is null or t.agent_name = $agent_name)
),

scoped as (
    select
        trace_id,
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        case when is_hit then 1 else 0 end as is_hit,
        case
            when placed_time_ns is null then 'no_start_time'
            when is_synthetic then 'synthetic'
            when decision in ('unknown', 'pending') then 'no_verdict'
            else 'counted'
        end as reason
    from placed
    where
        (placed_time_ns >= $start_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

part as (
    select
        trace_id,
        sum(case when $part = 'numerator' then is_hit else 1 end) as n
    from scoped
    where reason = 'counted'
    group by trace_id
),

kept as (
    select
        p.trace_id,
        t.start_time_ns,
        p.n,
        p.n as units
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
