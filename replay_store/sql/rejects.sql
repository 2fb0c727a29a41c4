-- The newest refused records.
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
from reject
order by received_time_ns desc, path, place
limit $limit
