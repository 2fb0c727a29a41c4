-- What came in since minute $oldest: one row for each minute, door, sender and signal, newest first.
select
    minute,
    door,
    source,
    signal,
    sum(n_requests)::bigint as n_requests,
    sum(n_bytes)::bigint as n_bytes,
    sum(n_received)::bigint as n_received,
    sum(n_stored)::bigint as n_stored,
    sum(n_merged)::bigint as n_merged,
    sum(n_rejected)::bigint as n_rejected,
    sum(n_repaired)::bigint as n_repaired,
    sum(n_redacted)::bigint as n_redacted,
    sum(n_ignored)::bigint as n_ignored,
    max(max_age_ms) as max_age_ms,
    max(max_wait_ms) as max_wait_ms
from intake_minute
where minute >= $oldest
group by
    minute,
    door,
    source,
    signal
order by
    minute desc,
    source,
    door,
    signal
limit $limit
