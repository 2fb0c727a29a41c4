-- Refused records whose bytes or whose reason hold one of $needles, newest first; at most $limit. The
-- newest $depth refusals are searched.
with newest as (
    select *
    from reject
    order by
        received_time_ns desc,
        file_id,
        place
    limit $depth
)
select
    file_id,
    path,
    place,
    reason,
    detail,
    raw,
    n_raw_bytes,
    received_time_ns,
    source
from newest
where len(
    list_filter(
        $needles::varchar[],
        lambda needle: contains(lower(coalesce(raw, '')), needle)
            or contains(lower(detail), needle)
    )
) > 0
order by
    received_time_ns desc,
    file_id,
    place
limit $limit
