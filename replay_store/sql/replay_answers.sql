-- What each executed call of one trace answered, in order: its last answer as the spans show it.
select
    tool_call.call_index,
    tool_call.tool_name,
    tool_call.contract_version,
    tool_call.status,
    tool_call.error_type,
    tool_call.degradation,
    tool_call.end_time_ns,
    call_evidence.arguments,
    coalesce(raw_output.body, call_evidence.result) as result
from tool_call
inner join span_current
    on tool_call.trace_id = span_current.trace_id
    and tool_call.span_id = span_current.span_id
inner join call_evidence
    on span_current.trace_id = call_evidence.trace_id
    and span_current.span_id = call_evidence.span_id
    and span_current.record_hash = call_evidence.record_hash
    and call_evidence.evidence = 'execution'
left join raw_occurrence
    on call_evidence.trace_id = raw_occurrence.trace_id
    and call_evidence.span_id = raw_occurrence.span_id
    and call_evidence.record_hash = raw_occurrence.record_hash
    and call_evidence.position = raw_occurrence.position
    and raw_occurrence.source = 'execution'
left join raw_output
    on raw_occurrence.raw_id = raw_output.raw_id
where tool_call.trace_id = $trace_id::uuid
    and not tool_call.is_pseudo
qualify row_number() over (
    partition by tool_call.call_index order by call_evidence.position
) = 1
order by tool_call.call_index
