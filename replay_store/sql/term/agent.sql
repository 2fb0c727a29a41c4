-- Traces of that agent, or of that service where no agent is named.
coalesce(agent_name, service_name) ilike $value escape '\'
