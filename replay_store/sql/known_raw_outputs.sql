-- The places in `batch` of the raw outputs that the store holds.
select batch.position
from batch
semi join raw_output using (raw_id)
