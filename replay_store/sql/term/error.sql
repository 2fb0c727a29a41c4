-- Traces whose run, or one of whose calls, failed with that class of error.
(
    error_type ilike $value escape '\'
    or trace_id in (
        select tool_call.trace_id
        from tool_call
        where tool_call.error_type ilike $value escape '\'
    )
)
