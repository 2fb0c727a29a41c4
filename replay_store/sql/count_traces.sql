-- How many traces pass the filter of find_traces.
select count(*) as n
from trace
where /* filter */ true
