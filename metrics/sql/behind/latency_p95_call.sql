-- What: the traces behind a P95 of calls (denominator) or of $slow_ns and more (numerator),
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; calls. Denominator: none.
-- Excluded: what latency_p95_call.sql excludes.
with part as (
    select
        trace_id,
        count(*) as n
    from timed_call
    where
        reason = 'counted'
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
        and ($part = 'denominator' or duration_ns >= $slow_ns)
        and ($tool_name is null or tool_name = $tool_name)
        and ($agent_name is null or agent_name = $agent_name)
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
