-- d_call: requests with their runs, and runs nobody was seen to ask for; numbered within the trace
-- in the order they were asked for (or, unasked, begun).
-- Status: a run that failed or was blocked says so itself; a run that shows its result is believed;
-- else the answer the model was shown decides.
create or replace temp table d_call as
with run as (
    select
        d_pair.request_no,
        min(d_execution.execution_no) as first_no,
        max(d_execution.execution_no) as last_no,
        min(d_execution.start_time_ns) as start_time_ns,
        case
            when count(*) = count(d_execution.end_time_ns) then max(d_execution.end_time_ns)
        end as end_time_ns
    from d_pair
    inner join d_execution using (execution_no)
    group by d_pair.request_no
),

executed_trace as (
    select distinct trace_id
    from d_execution
),

joined as (
    select
        d_request.request_no,
        run.first_no,
        run.last_no,
        run.start_time_ns as run_start_ns,
        run.end_time_ns as run_end_ns
    from d_request
    left join run using (request_no)
    union all
    select
        null,
        execution_no,
        execution_no,
        start_time_ns,
        end_time_ns
    from d_execution
    anti join d_pair using (execution_no)
),

filled as (
    select
        coalesce(d_request.trace_id, last_run.trace_id) as trace_id,
        joined.request_no,
        joined.first_no,
        joined.last_no,
        coalesce(d_request.turn_index, last_run.turn_index) as turn_index,
        last_run.span_id,
        d_request.llm_span_id,
        coalesce(d_request.tool_call_id, last_run.tool_call_id) as tool_call_id,
        coalesce(last_run.tool_name, nullif(d_request.tool_name, ''), '(unnamed)') as tool_name,
        coalesce(last_run.namespace, d_request.namespace) as namespace,
        coalesce(d_request.is_pseudo, false) or coalesce(last_run.is_pseudo, false) as is_pseudo,
        last_run.span_id is not null
            or (coalesce(d_request.is_answered, false) and executed_trace.trace_id is null) as is_executed,
        coalesce(d_request.agent_name, last_run.agent_name) as agent_name,
        last_run.caller,
        last_run.contract_version,
        last_run.step_index,
        coalesce(d_request.arguments_hash, last_run.arguments_hash) as arguments_hash,
        coalesce(d_request.is_arguments_valid, last_run.is_arguments_valid) as is_arguments_valid,
        coalesce(d_request.arguments, last_run.arguments) as arguments,
        coalesce(last_run.result, d_request.answer) as result,
        joined.run_start_ns as start_time_ns,
        joined.run_end_ns as end_time_ns,
        case
            when joined.run_end_ns >= joined.run_start_ns
                then joined.run_end_ns - joined.run_start_ns
        end as duration_ns,
        case
            when last_run.status in ('error', 'blocked', 'pending') then 'run'
            when last_run.status = 'ok' and last_run.result is not null then 'run'
            when d_request.is_answered then 'answer'
            when last_run.status is not null then 'run'
            else 'nothing'
        end as judged_by,
        last_run.status as run_status,
        last_run.error_type as run_error_type,
        last_run.error_message as run_error_message,
        last_run.error_source as run_error_source,
        d_request.answer_status,
        d_request.answer_error_message,
        d_request.answer_error_source,
        coalesce(last_run.is_retry_announced, false) as is_retry_announced,
        last_run.idempotency_key,
        last_run.degradation,
        d_request.answered_time_ns,
        coalesce(d_request.answered_time_ns, joined.run_start_ns) as order_ns,
        coalesce(d_request.position, 0) as position
    from joined
    left join d_request using (request_no)
    left join d_execution as last_run
        on joined.last_no = last_run.execution_no
    left join executed_trace
        on executed_trace.trace_id = coalesce(d_request.trace_id, last_run.trace_id)
)

select
    row_number() over (
        partition by trace_id
        order by order_ns nulls last, turn_index nulls last, position, first_no, request_no
    ) - 1 as call_index,
    case judged_by
        when 'run' then run_status
        when 'answer' then answer_status
        else 'pending'
    end as status,
    case judged_by when 'run' then run_error_type end as error_type,
    case judged_by when 'run' then run_error_message when 'answer' then answer_error_message end
        as error_message,
    case judged_by when 'run' then run_error_source when 'answer' then answer_error_source end
        as error_source,
    filled.*
from filled
