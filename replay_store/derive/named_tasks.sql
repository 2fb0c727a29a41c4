-- The traces that a derived one names as its task, be they there or not.
select try_cast(task_id as uuid)
from trace_open
semi join chosen using (trace_id)
where task_id <> hex_trace(trace_id)
    and try_cast(task_id as uuid) is not null
