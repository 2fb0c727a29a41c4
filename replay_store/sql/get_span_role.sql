-- What the dialects made of one version of one span. Its trace arrived between $first_ns and $last_ns.
select
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    record_hash,
    role,
    dialects,
    agent_name,
    session_id,
    user_id,
    task_id,
    step_index,
    is_error,
    error_type,
    error_message,
    received_time_ns
from span_role
where span_role.trace_id = $trace_id::uuid
    and span_role.span_id = $span_id
    and span_role.received_time_ns between $first_ns and $last_ns
    and record_hash = $record_hash
limit 1
