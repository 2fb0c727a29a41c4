-- The next $n sealed traces older than $before_ns, all of the oldest day, in order of hour and id: what
-- is asked for by either then lies in few row groups.
create or replace temp table moving as
with aged as (
    select
        trace_age.trace_id,
        trace_age.newest_time_ns,
        trace_age.newest_time_ns // 86400000000000 as day,
        trace_sealed.hour
    from main.trace_age
    inner join main.trace_sealed using (trace_id)
    where trace_age.newest_time_ns < $before_ns
)

select
    trace_id,
    newest_time_ns,
    day,
    row_number() over (order by hour nulls first, trace_id) as place
from aged
where day = (select min(aged.day) from aged)
order by place
limit $n
