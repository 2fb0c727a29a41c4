-- chosen: the changed traces, and when the rows they were derived from before had arrived; sealed traces
-- are looked for where $may_be_sealed.
-- head_id: the trace that heads the task, for most traces itself; linked_by: by what, NULL where no
-- trace is linked to it; see link.
create or replace temp table chosen as
with known as (
    select
        trace_id,
        first_received_time_ns,
        last_received_time_ns,
        false as is_sealed
    from trace_open
    semi join changed using (trace_id)
    union all
    select
        trace_id,
        first_received_time_ns,
        last_received_time_ns,
        true as is_sealed
    from trace_sealed
    semi join changed using (trace_id)
    where $may_be_sealed
)

select
    changed.trace_id,
    changed.trace_id as head_id,
    null::varchar as linked_by,
    changed.first_ns,
    changed.last_ns,
    known.first_received_time_ns as known_first_ns,
    known.last_received_time_ns as known_last_ns,
    known.is_sealed
from changed
left join known using (trace_id)
