-- The current version of every span of one trace with its role; no long text. Calls that try the same
-- again share a root: their attempts are numbered through, and so are the calls whose attempts are spans
-- of their own. The trace arrived between $first_ns and $last_ns.
with role as (
    select
        span_id,
        record_hash,
        role,
        is_error
    from span_role
    where span_role.trace_id = $trace_id::uuid
        and span_role.received_time_ns between $first_ns and $last_ns
),

model as (
    select
        span_id,
        record_hash,
        coalesce(response_model, request_model) as model
    from llm_call
    where llm_call.trace_id = $trace_id::uuid
        and llm_call.received_time_ns between $first_ns and $last_ns
),

tool as (
    select
        span_id,
        max(tool_name) as tool_name
    from call_evidence
    where call_evidence.trace_id = $trace_id::uuid
        and call_evidence.received_time_ns between $first_ns and $last_ns
        and evidence in ('execution', 'attempt')
    group by span_id
),

tried_again as (
    select distinct retry_root
    from tool_call
    where tool_call.trace_id = $trace_id::uuid
        and (tool_call.retry_of is not null or tool_call.n_attempts > 1)
),

attempts as (
    select
        attempt.span_id,
        tool_call.retry_root,
        row_number() over (
            partition by tool_call.retry_root
            order by attempt.call_index, attempt.attempt_index
        ) as try_number,
        count(*) over (partition by tool_call.retry_root) as n_tries
    from attempt
    inner join tool_call using (trace_id, call_index)
    where attempt.trace_id = $trace_id::uuid
        and tool_call.retry_root in (select tried_again.retry_root from tried_again)
),

calls as (
    select
        span_id,
        retry_root,
        row_number() over (partition by retry_root order by call_index) as try_number,
        count(*) over (partition by retry_root) as n_tries
    from tool_call
    where tool_call.trace_id = $trace_id::uuid
        and tool_call.is_executed
        and tool_call.retry_root in (select tried_again.retry_root from tried_again)
),

tries as (
    select
        span_id,
        min(retry_root) as retry_root,
        min(try_number) as try_number,
        max(n_tries) as n_tries
    from (
        select *
        from attempts
        union all
        select *
        from calls
        where span_id not in (select attempts.span_id from attempts)
    ) as tried
    group by span_id
)

select
    hex_span(current_span.span_id) as span_id,
    hex_span(current_span.parent_span_id) as parent_span_id,
    current_span.name,
    coalesce(role.role, 'other') as role,
    current_span.start_time_ns,
    current_span.end_time_ns,
    current_span.duration_ns,
    current_span.status_code,
    coalesce(role.is_error, current_span.status_code = 2) as is_error,
    current_span.service_name,
    tool.tool_name,
    model.model,
    tries.retry_root,
    tries.try_number,
    tries.n_tries
from trace_span($trace_id::uuid, $first_ns, $last_ns) as current_span
left join role using (span_id, record_hash)
left join model using (span_id, record_hash)
left join tool using (span_id)
left join tries using (span_id)
order by current_span.start_time_ns nulls last, current_span.record_index
