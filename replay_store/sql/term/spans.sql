-- Traces whose n_spans lies between two values, both inclusive; NULL is no bound.
n_spans >= coalesce($low::bigint, n_spans)
and n_spans <= coalesce($high::bigint, n_spans)
