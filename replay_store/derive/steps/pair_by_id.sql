-- d_pair: which run answers which request. First the sure ones: one call id. Several runs of one
-- id are tries of one call.
create or replace temp table d_pair as
select
    d_request.request_no,
    d_execution.execution_no
from d_request
inner join d_execution
    on d_request.trace_id = d_execution.trace_id
    and d_request.tool_call_id = d_execution.tool_call_id
