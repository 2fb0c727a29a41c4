-- What each item of a draw, positions $first to before $end, decided; nothing of how it went on.
-- Without a row the decision is no longer in the store.
select
    audit_item.position,
    decision.trace_id,
    decision.llm_span_id,
    span_current.record_hash,
    decision.tool_name,
    decision.tool_call_id,
    decision.arguments_hash,
    decision.call_index,
    decision.catalogue_hash,
    decision.is_offered,
    decision.model,
    decision.agent_name,
    decision.time_ns,
    span_current.attributes,
    llm_call.output_preview
from audit_item
inner join decision
    on audit_item.trace_id = decision.trace_id
    and audit_item.turn_index = decision.turn_index
    and audit_item.call_index is not distinct from decision.call_index
left join span_current
    on decision.trace_id = span_current.trace_id
    and decision.llm_span_id = span_current.span_id
left join llm_call
    on span_current.trace_id = llm_call.trace_id
    and span_current.span_id = llm_call.span_id
    and span_current.record_hash = llm_call.record_hash
where audit_item.batch_id = $batch_id::uuid
    and audit_item.position >= $first
    and audit_item.position < $end
order by audit_item.position
