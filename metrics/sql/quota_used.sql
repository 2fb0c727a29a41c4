-- What: calls of each tool by each caller on each day: what a daily quota counts. Days begin at
--   midnight UTC minus $day_offset_ns.
-- Unit: calls. Denominator: none; a quota is the contract's.
-- Excluded: pseudo tools, blocked, never executed, no start.
with placed as (
    select
        c.tool_name,
        coalesce(c.caller, '') as caller,
        c.is_pseudo,
        c.is_executed,
        c.status,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join untimed_call_trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and (
            c.start_time_ns is null
            or (c.start_time_ns >= $start_time_ns and c.start_time_ns < $end_time_ns)
        )
),

scoped as (
    select
        tool_name,
        caller,
        placed_time_ns - (placed_time_ns + $day_offset_ns) % 86400000000000 as day_time_ns
    from placed
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
),

final as (
    select
        tool_name,
        caller,
        day_time_ns,
        count(*) as n_calls
    from scoped
    group by tool_name, caller, day_time_ns
)

select
    tool_name,
    caller,
    day_time_ns,
    n_calls
from final
order by
    tool_name,
    caller,
    day_time_ns
