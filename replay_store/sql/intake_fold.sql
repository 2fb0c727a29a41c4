-- The rows of the minutes $oldest to $newest that have more than one for a door, sender and signal,
-- summed to one each.
create or replace temp table folded as
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
where minute between $oldest and $newest
group by
    minute,
    door,
    source,
    signal
having count(*) > 1
