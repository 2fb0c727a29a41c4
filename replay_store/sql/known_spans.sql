-- The places in `batch` of the spans that the store holds. A duplicate has the same start, so only the
-- batch's own time range is searched ($lo to $hi, and NULL when the batch has NULLs).
select batch.position
from batch
semi join (
    select
        trace_id,
        span_id,
        record_hash
    from span
    where start_time_ns between $lo and $hi
    union all
    select
        trace_id,
        span_id,
        record_hash
    from span
    where $has_null
        and start_time_ns is null
) as known using (trace_id, span_id, record_hash)
