-- Then equal tool and arguments, in order; a run that names no tool is one of whichever was asked for.
insert into d_pair (request_no, execution_no)
with requests as (
    select
        *,
        row_number() over (partition by trace_id, tool_name, arguments_hash order by request_no) as place
    from d_request
    anti join d_pair using (request_no)
    where arguments_hash is not null
),

executions as (
    select
        *,
        row_number() over (partition by trace_id, tool_name, arguments_hash order by execution_no) as place
    from d_execution
    anti join d_pair using (execution_no)
    where arguments_hash is not null
)

select
    requests.request_no,
    executions.execution_no
from requests
inner join executions using (trace_id, tool_name, arguments_hash, place)
where requests.answered_time_ns <= executions.start_time_ns
    and (requests.tool_call_id is null or executions.tool_call_id is null)
union all
select
    asked.request_no,
    unnamed.execution_no
from (
    select
        request_no,
        trace_id,
        arguments_hash,
        answered_time_ns,
        row_number() over (partition by trace_id, arguments_hash order by request_no) as place
    from requests
) as asked
inner join (
    select
        execution_no,
        trace_id,
        arguments_hash,
        start_time_ns,
        row_number() over (partition by trace_id, arguments_hash order by execution_no) as place
    from executions
    where tool_name is null
) as unnamed using (trace_id, arguments_hash, place)
where asked.answered_time_ns <= unnamed.start_time_ns
