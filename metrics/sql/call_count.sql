-- What: executed calls of each tool in each time bucket of the scope and of the period before, to
--   tell a silent guard from a silent agent.
-- Unit: calls. Denominator: none.
-- Excluded: pseudo tools, calls that were never executed, calls without a start.
with placed as (
    select
        c.tool_name,
        c.is_pseudo,
        c.is_executed,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join untimed_call_trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and (
            c.start_time_ns is null
            or (c.start_time_ns >= $before_time_ns and c.start_time_ns < $end_time_ns)
        )
),

scoped as (
    select
        tool_name,
        case when placed_time_ns >= $start_time_ns then 1 else 0 end as is_now,
        placed_time_ns - placed_time_ns % $bucket_ns as bucket_time_ns
    from placed
    where
        is_executed
        and not is_pseudo
        and placed_time_ns >= $before_time_ns
        and placed_time_ns < $end_time_ns
),

final as (
    select
        tool_name,
        is_now,
        bucket_time_ns,
        count(*) as n_calls
    from scoped
    group by tool_name, is_now, bucket_time_ns
)

select
    tool_name,
    is_now,
    bucket_time_ns,
    n_calls
from final
order by
    tool_name,
    is_now,
    bucket_time_ns
