-- What each sender sent since minute $oldest, by way in and signal: most first.
select
    source,
    door,
    signal,
    max(minute) as newest_minute,
    sum(n_requests)::bigint as n_requests,
    sum(n_bytes)::bigint as n_bytes,
    sum(n_received)::bigint as n_received,
    sum(n_stored)::bigint as n_stored,
    sum(n_merged)::bigint as n_merged,
    sum(n_rejected)::bigint as n_rejected,
    sum(n_redacted)::bigint as n_redacted,
    sum(n_ignored)::bigint as n_ignored,
    max(max_age_ms) as max_age_ms,
    max(max_wait_ms) as max_wait_ms
from intake_minute
where minute >= $oldest
group by
    source,
    door,
    signal
order by
    n_received desc,
    source,
    door,
    signal
