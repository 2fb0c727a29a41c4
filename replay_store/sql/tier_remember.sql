-- Which traces lie in a part, each with the age by which it went.
insert into tiered_trace (trace_id, part_id, newest_time_ns)
select
    trace_id,
    $part_id,
    newest_time_ns
from trace_age
semi join moving using (trace_id)
order by trace_id
