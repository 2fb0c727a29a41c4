-- The items of a draw in order; one of them when $position is given.
select
    batch_id,
    position,
    hex_trace(trace_id) as trace_id,
    turn_index,
    call_index,
    inclusion_probability,
    stratum,
    n_raters
from audit_item
where audit_item.batch_id = $batch_id::uuid
    and ($position is null or audit_item.position = $position)
order by position
