-- Sealed traces that counted as tasks by themselves, and that an open trace now names as its task.
create or replace temp table rolled as
with naming as (
    select try_cast(task_id as uuid) as trace_id
    from trace_open
    semi join chosen using (trace_id)
    where task_id <> hex_trace(trace_id)
),

found as materialized (
    select
        trace_id,
        task_id
    from trace_sealed
    semi join naming using (trace_id)
)

select trace_id
from found
anti join task_part using (trace_id)
where task_id = hex_trace(trace_id)
