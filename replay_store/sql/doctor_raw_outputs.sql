-- Recorded answers of tools: each has its text.
select
    hex_trace(raw_occurrence.trace_id) as example,
    raw.raw_id is null as is_wrong
from raw_occurrence
left join (select distinct raw_id from raw_output) as raw using (raw_id)
