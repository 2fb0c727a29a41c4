-- Refused records since $since_ns by minute, way in or file, sender and reason, newest first.
select
    (received_time_ns // 60000000000)::integer as minute,
    path,
    source,
    reason,
    count(*) as n
from reject
where received_time_ns >= $since_ns
group by
    minute,
    path,
    source,
    reason
order by
    minute desc,
    n desc,
    path,
    source,
    reason
limit $limit
