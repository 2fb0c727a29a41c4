-- The current version of every span of one trace with its role; no long text. Calls that try the same
-- again share a root: their attempts are numbered through, and so are the calls whose attempts are spans
-- of their own.
with attempts as (
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
    hex_span(span_current.span_id) as span_id,
    hex_span(span_current.parent_span_id) as parent_span_id,
    span_current.name,
    coalesce(span_role.role, 'other') as role,
    span_current.start_time_ns,
    span_current.end_time_ns,
    span_current.duration_ns,
    span_current.status_code,
    coalesce(span_role.is_error, span_current.status_code = 2) as is_error,
    span_current.service_name,
    (
        select max(call_evidence.tool_name)
        from call_evidence
        where call_evidence.trace_id = span_current.trace_id
            and call_evidence.span_id = span_current.span_id
            and call_evidence.evidence in ('execution', 'attempt')
    ) as tool_name,
    coalesce(llm_call.response_model, llm_call.request_model) as model,
    tries.retry_root,
    tries.try_number,
    tries.n_tries
from span_current
left join span_role using (trace_id, span_id, record_hash)
left join llm_call using (trace_id, span_id, record_hash)
left join tries using (span_id)
where span_current.trace_id = $trace_id::uuid
order by span_current.start_time_ns nulls last, span_current.record_index
