-- The newest trace in which a tool's raw result was recorded outside of an observation.
select hex_trace(trace_id) as trace_id
from raw_occurrence
where source = 'execution'
order by time_ns desc nulls last, trace_id
limit 1
