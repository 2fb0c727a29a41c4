-- Traces whose derived rows are behind.
select count(distinct trace_id) as n
from dirty_trace
