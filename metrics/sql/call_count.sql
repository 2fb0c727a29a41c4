-- What: executed calls, to tell a silent guard from a silent agent.
-- Unit: calls. Denominator: none.
-- Excluded: pseudo tools, calls that were never executed, calls without a start.
with placed as (
    select
        c.call_index,
        c.is_pseudo,
        c.is_executed,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
),

scoped as (
    select call_index
    from placed
    where
        is_executed
        and not is_pseudo
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
),

final as (
    select count(*) as n_calls
    from scoped
)

select n_calls
from final
order by n_calls
