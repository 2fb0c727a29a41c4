-- What: the traces behind a P95 of parser times (denominator) or of $slow_ns and more (numerator),
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; observations. Denominator: none.
-- Excluded: what parse_p95.sql excludes.
with placed as (
    select
        o.trace_id,
        o.parse_ms * 1e6 as parse_ns,
        coalesce(o.time_ns, t.start_time_ns) as placed_time_ns
    from observation_current as o
    left join trace as t on t.trace_id = o.trace_id
    where
        ($tool_name is null or list_contains(o.tool_names, $tool_name))
        and ($agent_name is null or t.agent_name = $agent_name)
),

part as (
    select
        trace_id,
        count(*) as n,
        count(*) as units
    from placed
    where
        placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
        and parse_ns is not null
        and ($part = 'denominator' or parse_ns >= $slow_ns)
    group by trace_id
),

kept as (
    select
        p.trace_id,
        t.start_time_ns,
        p.n,
        p.units
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
