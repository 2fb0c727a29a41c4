-- Traces that call a tool under that version of its contract.
trace_id in (
    select tool_call.trace_id
    from tool_call
    where tool_call.contract_version ilike $value escape '\'
)
