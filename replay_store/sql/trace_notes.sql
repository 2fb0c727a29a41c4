-- What people noted about the trace $trace_id, oldest first.
select
    hex_trace(trace_id) as trace_id,
    state,
    author,
    note,
    time_ns
from trace_note
where trace_note.trace_id = $trace_id::uuid
order by time_ns
