-- What: the calls of each trace in their order, with what tells equal calls and equal answers apart.
-- Unit: calls. Denominator: none.
-- Excluded: pseudo tools, never executed, blocked; traces without a start.
with scoped as (
    select
        c.trace_id,
        c.call_index,
        c.tool_name,
        c.arguments_hash,
        c.status,
        c.result_preview
    from tool_call as c
    inner join trace as t on t.trace_id = c.trace_id
    where
        c.is_executed
        and not c.is_pseudo
        and c.status <> 'blocked'
        and t.start_time_ns >= $start_time_ns
        and t.start_time_ns < $end_time_ns
        and ($agent_name is null or t.agent_name = $agent_name)
        and (
            $tool_name is null
            or c.trace_id in (select trace_id from tool_call where tool_name = $tool_name)
        )
),

final as (
    select
        hex_trace(trace_id) as trace_id,
        call_index,
        tool_name,
        arguments_hash,
        status,
        result_preview
    from scoped
)

select
    trace_id,
    tool_name,
    arguments_hash,
    status,
    result_preview
from final
order by
    trace_id,
    call_index
