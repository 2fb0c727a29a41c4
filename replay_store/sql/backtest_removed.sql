-- How many traces of a range retention has removed: what they held cannot be read again. A NULL bound
-- lets everything pass.
select count(*) as n
from removed_trace
where ($start_time_ns is null or newest_time_ns >= $start_time_ns)
    and ($end_time_ns is null or newest_time_ns < $end_time_ns)
