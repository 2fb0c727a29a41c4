-- The replay cases of `batch` that the store does not hold, each once; searched like fresh_span.
create or replace temp table fresh as
select distinct on (batch.record_hash)
    batch.position,
    batch.trace_id,
    batch.record_hash,
    batch.file_id
from batch
anti join (
    select record_hash
    from replay_case
    where time_ns between $lo and $hi
    union all
    select record_hash
    from replay_case
    where $has_null
        and time_ns is null
) as known using (record_hash)
order by batch.position
