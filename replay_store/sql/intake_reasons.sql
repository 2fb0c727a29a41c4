-- Refused records by where they came from and why, most first.
select
    path,
    reason,
    count(*) as n
from reject
where received_time_ns >= $since_ns
group by
    path,
    reason
order by
    n desc,
    path,
    reason
limit $limit
