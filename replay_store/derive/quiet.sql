-- Traces that have been quiet long enough to seal, and are not waiting to be derived.
create or replace temp table chosen as
select trace_id
from trace_open
anti join dirty_trace using (trace_id)
where last_received_time_ns < $quiet_before_ns
