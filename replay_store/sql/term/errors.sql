-- Traces whose n_tool_errors lies between two values, both inclusive; NULL is no bound.
n_tool_errors >= coalesce($low::bigint, n_tool_errors)
and n_tool_errors <= coalesce($high::bigint, n_tool_errors)
