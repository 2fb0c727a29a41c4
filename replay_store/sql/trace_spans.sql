-- The current version of every span of one trace with its role; no long text.
select
    hex_span(span_current.span_id) as span_id,
    hex_span(span_current.parent_span_id) as parent_span_id,
    span_current.name,
    coalesce(span_role.role, 'other') as role,
    span_current.start_time_ns,
    span_current.end_time_ns,
    span_current.duration_ns,
    span_current.status_code,
    coalesce(span_role.is_error, span_current.status_code = 2) as is_error,
    span_current.service_name,
    (
        select max(call_evidence.tool_name)
        from call_evidence
        where call_evidence.trace_id = span_current.trace_id
            and call_evidence.span_id = span_current.span_id
            and call_evidence.evidence in ('execution', 'attempt')
    ) as tool_name,
    coalesce(llm_call.response_model, llm_call.request_model) as model
from span_current
left join span_role using (trace_id, span_id, record_hash)
left join llm_call using (trace_id, span_id, record_hash)
where span_current.trace_id = $trace_id::uuid
order by span_current.start_time_ns nulls last, span_current.record_index
