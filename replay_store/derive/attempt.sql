-- Tries of the calls of the chosen traces.
insert into attempt_open by name
with runs as (
    select
        d_call.trace_id,
        d_call.call_index,
        d_call.tool_name,
        d_call.caller,
        d_pair.execution_no
    from d_call
    inner join d_pair using (request_no)
    union all
    select
        trace_id,
        call_index,
        tool_name,
        caller,
        first_no
    from d_call
    where request_no is null
)

select
    runs.trace_id,
    runs.call_index,
    row_number() over (
        partition by runs.trace_id, runs.call_index
        order by d_attempt.start_time_ns nulls last, d_attempt.attempt, d_attempt.span_id
    ) - 1 as attempt_index,
    d_attempt.span_id,
    runs.tool_name,
    runs.caller,
    d_attempt.start_time_ns,
    d_attempt.end_time_ns,
    d_attempt.duration_ns,
    d_attempt.hour,
    d_attempt.lat_bucket,
    d_attempt.status,
    d_attempt.error_type
from runs
inner join d_attempt using (execution_no)
order by d_attempt.hour, runs.trace_id, runs.call_index, attempt_index
