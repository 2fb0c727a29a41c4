-- The raw outputs that the chosen traces hold; other traces may hold them too.
create or replace temp table retired_raw as
select distinct raw_occurrence.raw_id
from raw_occurrence
semi join retired using (trace_id)
