-- The newest removal of the trace $trace_id.
select
    hex_trace(trace_id) as trace_id,
    newest_time_ns,
    removed_time_ns
from removed_trace
where trace_id = $trace_id::uuid
order by removed_time_ns desc
limit 1
