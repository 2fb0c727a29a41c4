-- Traces that pass the filter, newest start first. Which they are is found before anything else of them is
-- read: where all are sealed, each part of the table holds newer ones than those before it.
with page as (
    select
        trace_id,
        start_time_ns
    from trace /* near */
    where /* filter */ true
    order by start_time_ns desc nulls last, trace.trace_id
    limit $limit offset $offset
)

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
    linked_by,
    tool_names,
    call_error_types,
    fault_signs
from trace
semi join page
    on trace.trace_id = page.trace_id
    and trace.start_time_ns is not distinct from page.start_time_ns
order by start_time_ns desc nulls last, trace.trace_id
