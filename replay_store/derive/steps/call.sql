-- d_call: requests with their runs, and runs nobody was seen to ask for; numbered within the trace
-- in the order they were asked for (or, unasked, begun).
-- Status: a run that failed or was blocked says so itself; a run that shows its result is believed;
-- else the answer the model was shown decides. What neither ran nor was answered is pending in the
-- last turn; after it the run went on without it: unknown, and rejected where other calls ran.
create or replace temp table d_call as
with tries as (
    select
        execution_no,
        count(*) as n_tries
    from d_try
    group by execution_no
),

run as (
    select
        d_pair.request_no,
        min(d_execution.execution_no) as first_no,
        max(d_execution.execution_no) as last_no,
        min(d_execution.start_time_ns) as start_time_ns,
        case
            when count(*) = count(d_execution.end_time_ns) then max(d_execution.end_time_ns)
        end as end_time_ns,
        sum(coalesce(tries.n_tries, 1)) as n_attempts
    from d_pair
    inner join d_execution using (execution_no)
    left join tries using (execution_no)
    group by d_pair.request_no
),

joined as (
    select
        d_request.trace_id,
        d_request.own_trace_id,
        d_request.turn_index,
        d_request.request_no,
        d_request.answer_no,
        d_request.llm_span_id,
        d_request.turn_agent_name,
        d_request.answered_time_ns,
        d_request.position,
        run.first_no,
        run.last_no,
        run.start_time_ns,
        run.end_time_ns,
        run.n_attempts
    from d_request
    left join run using (request_no)
    union all
    select
        d_execution.trace_id,
        d_execution.own_trace_id,
        d_execution.turn_index,
        null,
        null,
        null,
        null,
        null,
        0,
        d_execution.execution_no,
        d_execution.execution_no,
        d_execution.start_time_ns,
        d_execution.end_time_ns,
        coalesce(tries.n_tries, 1)
    from d_execution
    anti join d_pair using (execution_no)
    left join tries using (execution_no)
),

numbered as (
    select
        joined.*,
        row_number() over (
            partition by trace_id
            order by
                coalesce(answered_time_ns, start_time_ns) nulls last,
                turn_index nulls last,
                position,
                first_no,
                request_no
        ) - 1 as call_index
    from joined
),

executed_trace as (
    select distinct trace_id
    from d_execution
),

last_turn as (
    select
        trace_id,
        max(turn_index) as turn_index
    from d_turn
    group by trace_id
),

filled as (
    select
        numbered.trace_id,
        numbered.own_trace_id,
        numbered.call_index,
        numbered.turn_index,
        numbered.request_no,
        numbered.first_no,
        last_run.span_id,
        numbered.llm_span_id,
        coalesce(request.tool_call_id, last_run.tool_call_id) as tool_call_id,
        coalesce(last_run.tool_name, nullif(request.tool_name, ''), '(unnamed)') as tool_name,
        coalesce(last_run.namespace, request.namespace) as namespace,
        coalesce(request.is_pseudo, false) or coalesce(last_run.is_pseudo, false) as is_pseudo,
        last_run.span_id is not null
            or (numbered.answer_no is not null and executed_trace.trace_id is null) as is_executed,
        coalesce(request.agent_name, numbered.turn_agent_name, last_run.agent_name) as agent_name,
        last_run.caller,
        last_run.contract_version,
        last_run.step_index,
        coalesce(request.arguments_hash, last_run.arguments_hash) as arguments_hash,
        coalesce(request.is_arguments_valid, last_run.is_arguments_valid) as is_arguments_valid,
        coalesce(request.arguments_preview, last_run.arguments_preview) as arguments_preview,
        coalesce(last_run.result_preview, answer.result_preview) as result_preview,
        numbered.start_time_ns,
        numbered.end_time_ns,
        case
            when numbered.end_time_ns >= numbered.start_time_ns
                then numbered.end_time_ns - numbered.start_time_ns
        end as duration_ns,
        case
            when last_run.status in ('error', 'blocked', 'pending') then 'run'
            when last_run.status = 'ok' and last_run.result_preview is not null then 'run'
            when numbered.answer_no is not null then 'answer'
            when last_run.status is not null then 'run'
            else 'nothing'
        end as judged_by,
        last_run.status as run_status,
        last_run.error_type as run_error_type,
        last_run.error_message as run_error_message,
        last_run.error_source as run_error_source,
        answer.status as answer_status,
        answer.error_message as answer_error_message,
        answer.error_source as answer_error_source,
        numbered.n_attempts,
        coalesce(last_run.is_retry_announced, false) as is_retry_announced,
        last_run.idempotency_key,
        last_run.degradation,
        coalesce(numbered.start_time_ns, numbered.answered_time_ns) as time_ns,
        numbered.turn_index < last_turn.turn_index as is_passed,
        executed_trace.trace_id is not null as is_run_visible
    from numbered
    left join d_evidence as request
        on numbered.request_no = request.evidence_no
    left join d_evidence as answer
        on numbered.answer_no = answer.evidence_no
    left join d_evidence as last_run
        on numbered.last_no = last_run.evidence_no
    left join executed_trace
        on numbered.trace_id = executed_trace.trace_id
    left join last_turn
        on numbered.trace_id = last_turn.trace_id
)

select
    * exclude (
        judged_by,
        run_status,
        run_error_type,
        run_error_message,
        run_error_source,
        answer_status,
        answer_error_message,
        answer_error_source,
        n_attempts,
        is_run_visible
    ),
    case judged_by
        when 'run' then run_status
        when 'answer' then answer_status
        else case when is_passed then 'unknown' else 'pending' end
    end as status,
    coalesce(judged_by = 'nothing' and is_passed and is_run_visible, false)
        or coalesce(not is_arguments_valid, false) as is_rejected,
    judged_by <> 'nothing' as is_judged,
    case judged_by when 'run' then run_error_type end as error_type,
    case judged_by when 'run' then run_error_message when 'answer' then answer_error_message end
        as error_message,
    case judged_by when 'run' then run_error_source when 'answer' then answer_error_source end
        as error_source,
    coalesce(n_attempts, case when is_executed then 1 else 0 end) as n_attempts
from filled
