-- Traces whose duration_ns lies between two values, both inclusive; NULL is no bound.
duration_ns >= coalesce($low::bigint, duration_ns)
and duration_ns <= coalesce($high::bigint, duration_ns)
