-- Traces whose n_steps lies between two values, both inclusive; NULL is no bound.
n_steps >= coalesce($low::bigint, n_steps)
and n_steps <= coalesce($high::bigint, n_steps)
