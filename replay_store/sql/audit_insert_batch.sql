-- Keep a draw whose items are written; n_drawn counts them.
insert into audit_batch (
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
)
select
    $batch_id::uuid,
    $name,
    $start_time_ns,
    $end_time_ns,
    $tool_name,
    $seed,
    $n_frame,
    count(*),
    $created_by,
    $created_time_ns,
    $n,
    $per_trace,
    $strata::varchar[],
    $allocation,
    count_if(n_raters > 1),
    $frame_query
from audit_item
where audit_item.batch_id = $batch_id::uuid
