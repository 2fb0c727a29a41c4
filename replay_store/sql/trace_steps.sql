-- What happened in the trace $trace_id, one row a step, by time: what the model planned or answered,
-- what a guard decided, each call, each further attempt of a call, what was observed. A call that never
-- ran stands at the end of the turn that asked for it. The trace arrived between $first_ns and $last_ns.
with model as (
    select
        current_span.span_id,
        current_span.start_time_ns,
        current_span.end_time_ns,
        current_span.duration_ns,
        coalesce(llm_call.response_model, llm_call.request_model) as model,
        llm_call.n_requested_calls,
        llm_call.finish_reason,
        llm_call.output_preview,
        llm_call.input_tokens,
        llm_call.output_tokens,
        span_role.is_error,
        span_role.error_type,
        span_role.error_message
    from trace_span($trace_id::uuid, $first_ns, $last_ns) as current_span
    inner join llm_call using (trace_id, span_id, record_hash)
    inner join span_role using (trace_id, span_id, record_hash)
    where span_role.role = 'model'
        and llm_call.received_time_ns between $first_ns and $last_ns
        and span_role.received_time_ns between $first_ns and $last_ns
),
observed as (
    select
        current_span.span_id,
        current_span.start_time_ns,
        current_span.end_time_ns,
        current_span.duration_ns,
        array_to_string(observation.tool_names, ', ') as tool_name,
        observation.n_cells,
        observation.n_conflicts,
        observation.n_unknown,
        observation.n_unparsed,
        observation.n_failed,
        observation.n_degraded,
        observation.n_noise_hit,
        observation.parse_ms,
        observation.snapshot_hash
    from trace_span($trace_id::uuid, $first_ns, $last_ns) as current_span
    inner join observation using (trace_id, span_id, record_hash)
),
tried as (
    select
        *,
        start_time_ns
        - lag(end_time_ns) over (partition by call_index order by attempt_index) as wait_ns
    from attempt
    where attempt.trace_id = $trace_id::uuid
),
steps as (
    select
        case when model.n_requested_calls > 0 then 'planned' else 'answered' end as act,
        0 as rank,
        model.span_id,
        model.start_time_ns as time_ns,
        model.end_time_ns,
        model.duration_ns,
        case
            when model.is_error then 'error'
            when model.end_time_ns is null then 'unfinished'
            else 'ok'
        end as status,
        model.model as subject,
        null::integer as call_index,
        null::integer as attempt_index,
        model.error_type,
        coalesce(model.error_message, model.output_preview) as detail,
        model.finish_reason as reason,
        null::integer as n_attempts,
        null::integer as retry_of,
        null::varchar as arguments,
        null::ubigint as arguments_hash,
        null::varchar as snapshot_hash,
        model.n_requested_calls::integer as n_requested,
        model.input_tokens,
        model.output_tokens,
        null::integer as n_facts,
        null::integer as n_conflicts,
        null::integer as n_unknown,
        null::integer as n_unparsed,
        null::integer as n_failed,
        null::integer as n_noise,
        null::bigint as wait_ns
    from model
    union all
    select
        'guarded',
        1,
        span_id,
        time_ns,
        null,
        null,
        decision,
        tool_name,
        null,
        null,
        null,
        reason,
        rule,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null
    from guard_evaluation
    where guard_evaluation.trace_id = $trace_id::uuid
    union all
    select
        case when tool_call.retry_of is null then 'called' else 'retried' end,
        2,
        coalesce(tool_call.span_id, tool_call.llm_span_id),
        coalesce(tool_call.start_time_ns, model.end_time_ns, model.start_time_ns),
        tool_call.end_time_ns,
        tool_call.duration_ns,
        tool_call.status,
        tool_call.tool_name,
        tool_call.call_index,
        null,
        tool_call.error_type,
        coalesce(tool_call.error_message, tool_call.result_preview),
        tool_call.degradation,
        tool_call.n_attempts,
        tool_call.retry_of,
        tool_call.arguments_preview,
        tool_call.arguments_hash,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        tool_call.start_time_ns - model.end_time_ns
    from tool_call
    left join model on tool_call.llm_span_id = model.span_id
    where tool_call.trace_id = $trace_id::uuid
    union all
    select
        'retried',
        3,
        attempt.span_id,
        attempt.start_time_ns,
        attempt.end_time_ns,
        attempt.duration_ns,
        attempt.status,
        attempt.tool_name,
        attempt.call_index,
        attempt.attempt_index,
        attempt.error_type,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        attempt.wait_ns
    from tried as attempt
    where attempt.attempt_index > 0
    union all
    select
        'observed',
        4,
        span_id,
        start_time_ns,
        end_time_ns,
        duration_ns,
        case when end_time_ns is null then 'unfinished' else 'ok' end,
        tool_name,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        snapshot_hash,
        null,
        null,
        null,
        n_cells,
        n_conflicts,
        n_unknown,
        n_unparsed,
        n_failed,
        n_noise_hit,
        null
    from observed
)
select
    act,
    hex_span(span_id) as span_id,
    time_ns,
    end_time_ns,
    duration_ns,
    status,
    subject,
    call_index,
    attempt_index,
    error_type,
    detail,
    reason,
    n_attempts,
    retry_of,
    arguments,
    arguments_hash,
    snapshot_hash,
    n_requested,
    input_tokens,
    output_tokens,
    n_facts,
    n_conflicts,
    n_unknown,
    n_unparsed,
    n_failed,
    n_noise,
    wait_ns
from steps
order by
    time_ns nulls last,
    rank,
    call_index,
    attempt_index,
    span_id
limit $limit
