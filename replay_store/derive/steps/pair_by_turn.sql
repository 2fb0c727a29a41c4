-- Then equal tool within one turn, in order.
insert into d_pair (request_no, execution_no)
with requests as (
    select
        *,
        row_number() over (partition by trace_id, tool_name, turn_index order by request_no) as place
    from d_request
    anti join d_pair using (request_no)
    where turn_index is not null
),

executions as (
    select
        *,
        row_number() over (partition by trace_id, tool_name, turn_index order by execution_no) as place
    from d_execution
    anti join d_pair using (execution_no)
    where turn_index is not null
)

select
    requests.request_no,
    executions.execution_no
from requests
inner join executions using (trace_id, tool_name, turn_index, place)
where requests.answered_time_ns <= executions.start_time_ns
    and (requests.tool_call_id is null or executions.tool_call_id is null)
