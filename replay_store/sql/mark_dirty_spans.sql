-- The traces of the spans in `batch` are behind until derive has seen them.
insert into dirty_trace (trace_id, first_received_time_ns, last_received_time_ns)
select
    trace_id,
    min(received_time_ns),
    max(received_time_ns)
from batch
group by trace_id
