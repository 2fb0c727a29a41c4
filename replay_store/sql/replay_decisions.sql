-- What each decision of one trace decided, in order; nothing of how it went on.
select
    row_number() over (
        order by decision.turn_index, decision.call_index nulls first
    ) - 1 as position,
    decision.trace_id,
    decision.turn_index,
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
from decision
left join span_current
    on decision.trace_id = span_current.trace_id
    and decision.llm_span_id = span_current.span_id
left join llm_call
    on span_current.trace_id = llm_call.trace_id
    and span_current.span_id = llm_call.span_id
    and span_current.record_hash = llm_call.record_hash
where decision.trace_id = $trace_id::uuid
    and not decision.is_pseudo
order by decision.turn_index, decision.call_index nulls first
