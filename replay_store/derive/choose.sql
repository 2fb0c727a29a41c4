-- The next chunk of changed traces, oldest ids first (any order would do; this one repeats).
create or replace temp table chosen as
select distinct trace_id
from dirty_trace
order by trace_id
limit $chunk
