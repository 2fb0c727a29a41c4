-- Sealed decisions of traces whose labels no look has seen.
with unseen as (
    select label.trace_id
    from label
    anti join labelled_trace using (trace_id)
),

unseen_trace as (
    select
        trace_id,
        start_time_ns
    from trace_sealed
    where trace_id in (select unseen.trace_id from unseen)
)

select
    decision_sealed.trace_id::varchar as trace_id,
    decision_sealed.turn_index,
    decision_sealed.call_index,
    decision_sealed.decision_id::varchar as decision_id,
    decision_sealed.tool_name,
    decision_sealed.contract_version,
    decision_sealed.model,
    decision_sealed.agent_name,
    decision_sealed.is_pseudo,
    decision_sealed.time_ns,
    unseen_trace.start_time_ns as trace_start_time_ns
from decision_sealed
left join unseen_trace using (trace_id)
where decision_sealed.trace_id in (select unseen.trace_id from unseen)
