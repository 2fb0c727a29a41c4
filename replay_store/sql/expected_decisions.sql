-- The decisions of some traces, with the arguments as the model wrote them.
select
    hex_trace(decision.trace_id) as trace_id,
    decision.turn_index,
    decision.call_index,
    decision.tool_name,
    decision.arguments_hash,
    decision.time_ns,
    any_value(call_evidence.arguments) as arguments
from decision
left join call_evidence
    on decision.trace_id = call_evidence.trace_id
    and decision.llm_span_id = call_evidence.span_id
    and decision.tool_call_id = call_evidence.tool_call_id
    and call_evidence.evidence = 'request'
where decision.trace_id in (select unnest($trace_ids)::uuid)
    and not decision.is_pseudo
group by all
order by trace_id, turn_index, call_index nulls first
