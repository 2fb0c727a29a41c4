-- First and newest start of any trace; NULLs while none has one. Found from the /* extremes */.
select
    min(start_time_ns) as first_time_ns,
    max(start_time_ns) as last_time_ns
from trace
