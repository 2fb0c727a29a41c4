-- Traces that call a tool of that name.
len(list_filter(tool_names, lambda tool: tool ilike $value escape '\')) > 0
