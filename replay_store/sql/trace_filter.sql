-- Which traces pass a filter; a NULL parameter lets everything pass. Stands in the place of the filter of
-- find_traces, count_traces and trace_counts.
/* terms */ true
    and ($trace_ids is null or trace_id in (select unnest($trace_ids::varchar[])::uuid))
    and ($start_time_ns is null or start_time_ns >= $start_time_ns)
    and ($end_time_ns is null or start_time_ns < $end_time_ns)
    and ($status is null or status = $status)
    and ($agent_name is null or agent_name = $agent_name)
    and ($session_id is null or session_id = $session_id)
    and ($task_id is null or task_id = $task_id)
    and ($tool_name is null or list_contains(tool_names, $tool_name))
    and (
        $error is null
        or ($error = 'any' and (n_tool_errors > 0 or n_llm_errors > 0 or status = 'error'))
        or error_type = $error
        or list_contains(call_error_types, $error)
    )
