-- What: the traces behind a P95 of calls (denominator) or of $slow_ns and more (numerator),
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; calls. Denominator: none.
-- Excluded: what latency_p95_call.sql excludes.
with placed as (
    select
        c.trace_id,
        c.is_pseudo,
        c.is_executed,
        c.status,
        c.start_time_ns,
        c.end_time_ns,
        c.duration_ns,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
),

scoped as (
    select
        trace_id,
        duration_ns,
        case
            when placed_time_ns is null then 'no_start_time'
            when is_pseudo then 'pseudo_tool'
            when status = 'blocked' then 'blocked'
            when not is_executed then 'never_executed'
            when start_time_ns is null then 'no_start_time'
            when end_time_ns is null then 'unfinished'
            when duration_ns is null then 'negative_duration'
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
        count(*) as n
    from scoped
    where
        reason = 'counted'
        and ($part = 'denominator' or duration_ns >= $slow_ns)
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
