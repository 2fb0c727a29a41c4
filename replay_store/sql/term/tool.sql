-- Traces that call a tool of that name.
trace_id in (
    select tool_call.trace_id
    from tool_call
    where tool_call.tool_name ilike $value escape '\'
)
