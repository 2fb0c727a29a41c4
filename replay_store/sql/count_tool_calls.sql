-- How many logical calls the trace $trace_id has.
select count(*) as n
from tool_call
where tool_call.trace_id = $trace_id::uuid
