-- How the decision of one item went on: its call, if it became one, and how its trace ended.
with item as (
    select
        trace_id,
        turn_index,
        call_index
    from audit_item
    where audit_item.batch_id = $batch_id::uuid
        and audit_item.position = $position
),

calls as (
    select
        tool_call.*,
        row_number() over (order by tool_call.call_index) - 1 as index_in_turn
    from tool_call
    inner join item
        on tool_call.trace_id = item.trace_id
        and tool_call.turn_index = item.turn_index
)

select
    trace.status as trace_status,
    calls.status as call_status,
    calls.is_executed,
    calls.error_type,
    calls.error_message,
    calls.result_preview,
    calls.n_attempts,
    calls.duration_ns
from item
left join calls on item.call_index = calls.index_in_turn
left join trace on item.trace_id = trace.trace_id
