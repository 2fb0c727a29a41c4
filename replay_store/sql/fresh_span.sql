-- The spans of `batch` that the store does not hold, each once, by their place in it. A duplicate has the same start, so
-- only the batch's own time range is searched ($lo to $hi, and NULL when the batch has NULLs).
create or replace temp table fresh as
select distinct on (batch.trace_id, batch.span_id, batch.record_hash)
    batch.position,
    batch.trace_id,
    batch.span_id,
    batch.record_hash,
    batch.file_id
from batch
anti join (
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
order by batch.position
