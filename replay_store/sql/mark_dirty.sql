-- The traces of the rows in `fresh` are behind until derive has seen them.
insert into dirty_trace (trace_id)
select distinct trace_id
from fresh
where trace_id is not null
