-- The rows of `batch` that case_run does not hold, each once. The table is small: all of it is searched.
create or replace temp table fresh as
select distinct on (batch.record_hash)
    batch.position,
    batch.record_hash,
    batch.file_id
from batch
anti join case_run using (record_hash)
order by batch.position
