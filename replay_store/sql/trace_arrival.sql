-- Between which times the records of the trace $trace_id arrived: in every table, only the part that did
-- so holds any. NULL for a trace that is not derived, or was before arrivals were kept.
select
    min(first_received_time_ns) as first_ns,
    max(last_received_time_ns) as last_ns
from trace
where trace.trace_id = $trace_id::uuid
