-- Traces whose n_retries lies between two values, both inclusive; NULL is no bound.
n_retries >= coalesce($low::bigint, n_retries)
and n_retries <= coalesce($high::bigint, n_retries)
