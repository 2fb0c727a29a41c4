-- Traces that pass the filter, newest start first; a NULL parameter lets everything pass.
select
    hex_trace(trace_id) as trace_id,
    task_id,
    name,
    service_name,
    agent_name,
    session_id,
    user_id,
    start_time_ns,
    end_time_ns,
    duration_ns,
    hour,
    status,
    is_run_failed,
    is_finished,
    error_type,
    error_message,
    dialects,
    models,
    n_spans,
    n_root_spans,
    n_orphan_spans,
    n_error_spans,
    n_logs,
    n_noise,
    n_llm_calls,
    n_llm_errors,
    n_tool_calls,
    n_tool_errors,
    n_retries,
    n_steps,
    n_guard_evaluations,
    n_guard_hits,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    longest_identical_run,
    last_received_time_ns,
    first_received_time_ns,
    linked_by
from trace
where /* terms */ true
    and ($trace_ids is null or trace_id in (select unnest($trace_ids::varchar[])::uuid))
    and ($start_time_ns is null or start_time_ns >= $start_time_ns)
    and ($end_time_ns is null or start_time_ns < $end_time_ns)
    and ($status is null or status = $status)
    and ($agent_name is null or agent_name = $agent_name)
    and ($session_id is null or session_id = $session_id)
    and ($task_id is null or task_id = $task_id)
    and (
        $tool_name is null
        or trace_id in (
            select tool_call.trace_id
            from tool_call
            where tool_call.tool_name = $tool_name
        )
    )
    and (
        $error is null
        or ($error = 'any' and (n_tool_errors > 0 or n_llm_errors > 0 or status = 'error'))
        or error_type = $error
        or trace_id in (
            select tool_call.trace_id
            from tool_call
            where tool_call.error_type = $error
        )
    )
order by start_time_ns desc nulls last, trace.trace_id
limit $limit offset $offset
