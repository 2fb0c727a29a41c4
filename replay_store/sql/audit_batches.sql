-- Every draw, newest first; one draw when $batch_id is given.
select
    batch_id,
    name,
    start_time_ns,
    end_time_ns,
    tool_name,
    seed,
    n_frame,
    n_drawn,
    created_by,
    created_time_ns,
    n,
    per_trace,
    strata,
    allocation,
    n_double,
    frame_query
from audit_batch
where $batch_id is null
    or audit_batch.batch_id = $batch_id::uuid
order by created_time_ns desc, batch_id
