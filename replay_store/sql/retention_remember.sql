-- The chosen traces are known to have been here.
insert into removed_trace (trace_id, newest_time_ns, removed_time_ns)
select
    trace_id,
    newest_time_ns,
    $now_ns
from retired
order by trace_id
