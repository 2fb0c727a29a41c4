-- What: the calls of every tool that was ever degraded, in the order of their start.
-- Unit: calls. Denominator: none.
-- Excluded: pseudo tools, never executed, blocked, without a start.
-- Found from /* every row */: what was ever seen may lie before the period.
with scoped as (
    select
        trace_id,
        call_index,
        tool_name,
        start_time_ns,
        coalesce(degradation, '') as degradation
    from tool_call
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and tool_name in (select tool_name from tool_call where degradation is not null)
        and ($tool_name is null or tool_name = $tool_name)
        and ($agent_name is null or agent_name = $agent_name)
),

final as (
    select
        hex_trace(trace_id) as trace_id,
        call_index,
        tool_name,
        start_time_ns,
        degradation
    from scoped
)

select
    trace_id,
    tool_name,
    start_time_ns,
    degradation
from final
order by
    tool_name,
    start_time_ns,
    trace_id,
    call_index
