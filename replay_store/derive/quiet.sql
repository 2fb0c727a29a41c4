-- Traces to seal, at most $chunk, oldest first so that few hours change at a time: those that have been
-- quiet long enough, and those beyond the $most_open that spans came for last. None that waits to be
-- derived.
create or replace temp table chosen as
with numbered as (
    select
        trace_id,
        hour,
        last_received_time_ns,
        row_number() over (order by last_received_time_ns desc, hour desc, trace_id) as place
    from trace_open
)

select trace_id
from numbered
anti join dirty_trace using (trace_id)
where last_received_time_ns < $quiet_before_ns
    or place > $most_open
order by
    hour nulls first,
    trace_id
limit $chunk
