-- The next $chunk traces older than $before_ns, oldest first.
create or replace temp table retired as
select
    trace_id,
    newest_time_ns
from trace_age
where newest_time_ns < $before_ns
order by
    newest_time_ns,
    trace_id
limit $chunk
