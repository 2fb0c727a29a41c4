-- Traces whose n_tool_calls lies between two values, both inclusive; NULL is no bound.
n_tool_calls >= coalesce($low::bigint, n_tool_calls)
and n_tool_calls <= coalesce($high::bigint, n_tool_calls)
