-- The logical calls of one trace, in order: all, or those of the span $span_id; at most $limit, where it
-- is given.
select
    hex_trace(trace_id) as trace_id,
    call_index,
    turn_index,
    hex_span(span_id) as span_id,
    hex_span(llm_span_id) as llm_span_id,
    tool_call_id,
    tool_name,
    namespace,
    is_pseudo,
    is_executed,
    agent_name,
    caller,
    contract_version,
    step_index,
    arguments_hash,
    is_arguments_valid,
    arguments_preview,
    result_preview,
    start_time_ns,
    end_time_ns,
    duration_ns,
    hour,
    lat_bucket,
    status,
    error_type,
    error_message,
    error_source,
    n_attempts,
    retry_of,
    retry_root,
    retry_kind,
    idempotency_key,
    degradation,
    hex_trace(head_trace_id) as head_trace_id
from tool_call
where tool_call.trace_id = $trace_id::uuid
    and ($span_id is null or tool_call.span_id = $span_id)
order by call_index
limit $limit
