-- One row a trace. The run failed when an agent, a wrapper, a model call or a root ended in an error
-- and no model call was answered after it; NULL when no root was seen to end and nothing failed.
insert into trace_open by name
with rooted as (
    select
        d_span.*,
        d_span.parent_span_id is null as is_root,
        d_span.parent_span_id is not null and parents.span_id is null as is_orphan
    from d_span
    left join d_span as parents
        on d_span.trace_id = parents.trace_id
        and d_span.parent_span_id = parents.span_id
),

last_turn as (
    select
        trace_id,
        max(start_time_ns) as start_time_ns,
        count(*) as n_turns,
        case when count(*) = count(input_tokens) then sum(input_tokens) end as input_tokens,
        case when count(*) = count(output_tokens) then sum(output_tokens) end as output_tokens,
        sum(cached_input_tokens) as cached_input_tokens,
        list_sort(list(distinct model) filter (where model is not null)) as models
    from d_turn
    group by trace_id
),

failures as (
    select
        rooted.trace_id,
        arg_max(rooted.error_type, rooted.start_time_ns) as error_type,
        arg_max(rooted.error_message, rooted.start_time_ns) as error_message
    from rooted
    left join last_turn using (trace_id)
    where rooted.is_error
        and (rooted.role in ('agent', 'chain', 'model') or rooted.is_root)
        and coalesce(
            last_turn.start_time_ns < coalesce(rooted.end_time_ns, rooted.start_time_ns), true
        )
    group by rooted.trace_id
),

spans as (
    select
        trace_id,
        count(*) as n_spans,
        sum(is_root::integer) as n_root_spans,
        sum(is_orphan::integer) as n_orphan_spans,
        sum(is_error::integer) as n_error_spans,
        sum((role = 'model' and is_error)::integer) as n_llm_errors,
        sum((is_root and end_time_ns is not null)::integer) as n_ended_roots,
        sum((is_root and duration_ns is not null)::integer) as n_timed_roots,
        min(start_time_ns) as start_time_ns,
        max(end_time_ns) as end_time_ns,
        arg_min(name, start_time_ns) filter (where is_root) as root_name,
        arg_min(name, start_time_ns) filter (where role = 'agent') as agent_span_name,
        arg_min(name, coalesce(start_time_ns, 0)) as first_name,
        arg_min(service_name, coalesce(start_time_ns, 0)) as service_name,
        arg_min(agent_name, start_time_ns) filter (where agent_name is not null) as agent_name,
        arg_min(session_id, start_time_ns) filter (where session_id is not null) as session_id,
        arg_min(user_id, start_time_ns) filter (where user_id is not null) as user_id,
        arg_min(task_id, start_time_ns) filter (where task_id is not null) as task_id,
        list_sort(list_distinct(flatten(list(dialects)))) as dialects,
        count(distinct step_index) as n_step_indexes,
        max(received_time_ns) as received_time_ns
    from rooted
    group by trace_id
),

calls as (
    select
        trace_id,
        sum((not is_pseudo)::integer) as n_tool_calls,
        sum((not is_pseudo and status = 'error')::integer) as n_tool_errors,
        sum(case when is_pseudo then 0 else (retry_of is not null)::integer + greatest(n_attempts - 1, 0) end)
            as n_retries
    from tool_call_open
    semi join chosen using (trace_id)
    group by trace_id
),

islands as (
    select
        trace_id,
        call_index,
        tool_name,
        arguments_hash,
        row_number() over (partition by trace_id order by call_index)
            - row_number() over (partition by trace_id, tool_name, arguments_hash order by call_index)
            as island
    from tool_call_open
    semi join chosen using (trace_id)
    where not is_pseudo
        and arguments_hash is not null
),

runs as (
    select
        trace_id,
        max(n) as longest
    from (
        select
            trace_id,
            count(*) as n
        from islands
        group by trace_id, tool_name, arguments_hash, island
    ) as counted
    group by trace_id
),

guards as (
    select
        trace_id,
        sum((decision not in ('unknown', 'pending') and not is_synthetic)::integer) as n_evaluations,
        sum((is_hit and not is_synthetic)::integer) as n_hits
    from d_evaluation
    group by trace_id
),

logs as (
    select
        trace_id,
        count(*) as n_logs,
        min(time_ns) as first_ns,
        max(received_time_ns) as received_time_ns
    from span_log
    semi join chosen using (trace_id)
    group by trace_id
),

noise as (
    select
        trace_id,
        count(distinct noise_id) as n_noise,
        min(time_ns) as first_ns,
        max(received_time_ns) as received_time_ns
    from (
        select
            trace_id,
            noise_id,
            time_ns,
            received_time_ns
        from noise_log
        semi join chosen using (trace_id)
        union all
        select
            observed_noise.trace_id,
            observed_noise.noise_id,
            observed_noise.time_ns,
            d_span.received_time_ns
        from observed_noise
        inner join d_span
            on observed_noise.trace_id = d_span.trace_id
            and observed_noise.span_id = d_span.span_id
            and observed_noise.record_hash = d_span.record_hash
    ) as told
    group by trace_id
),

final as (
    select
        chosen.trace_id,
        coalesce(spans.task_id, hex_trace(chosen.trace_id)) as task_id,
        coalesce(spans.agent_span_name, spans.root_name, spans.first_name) as name,
        spans.service_name,
        spans.agent_name,
        spans.session_id,
        spans.user_id,
        coalesce(spans.start_time_ns, logs.first_ns, noise.first_ns) as start_time_ns,
        case when spans.n_ended_roots = spans.n_root_spans then spans.end_time_ns end as end_time_ns,
        failures.trace_id is not null as has_failed,
        coalesce(spans.n_root_spans > 0 and spans.n_timed_roots = spans.n_root_spans, false) as is_timed,
        coalesce(spans.n_root_spans > 0 and spans.n_ended_roots = spans.n_root_spans, false) as is_finished,
        failures.error_type,
        failures.error_message,
        coalesce(spans.dialects, []) as dialects,
        coalesce(last_turn.models, []) as models,
        coalesce(spans.n_spans, 0) as n_spans,
        coalesce(spans.n_root_spans, 0) as n_root_spans,
        coalesce(spans.n_orphan_spans, 0) as n_orphan_spans,
        coalesce(spans.n_error_spans, 0) as n_error_spans,
        coalesce(logs.n_logs, 0) as n_logs,
        coalesce(noise.n_noise, 0) as n_noise,
        coalesce(last_turn.n_turns, 0) as n_llm_calls,
        coalesce(spans.n_llm_errors, 0) as n_llm_errors,
        coalesce(calls.n_tool_calls, 0) as n_tool_calls,
        coalesce(calls.n_tool_errors, 0) as n_tool_errors,
        coalesce(calls.n_retries, 0) as n_retries,
        case when spans.n_step_indexes > 0 then spans.n_step_indexes else last_turn.n_turns end as n_steps,
        coalesce(guards.n_evaluations, 0) as n_guard_evaluations,
        coalesce(guards.n_hits, 0) as n_guard_hits,
        last_turn.input_tokens,
        last_turn.output_tokens,
        last_turn.cached_input_tokens,
        case when runs.longest > 1 then runs.longest else 0 end as longest_identical_run,
        greatest(spans.received_time_ns, logs.received_time_ns, noise.received_time_ns) as last_received_time_ns
    from chosen
    left join spans using (trace_id)
    left join failures using (trace_id)
    left join last_turn using (trace_id)
    left join calls using (trace_id)
    left join runs using (trace_id)
    left join guards using (trace_id)
    left join logs using (trace_id)
    left join noise using (trace_id)
)

select
    * exclude (has_failed, is_timed),
    (start_time_ns // 3600000000000)::integer as hour,
    case when is_timed then end_time_ns - start_time_ns end as duration_ns,
    case
        when has_failed then true
        when is_finished then false
    end as is_run_failed,
    case
        when has_failed then 'error'
        when is_finished then 'ok'
        when n_root_spans > 0 then 'unfinished'
        else 'unknown'
    end as status
from final
order by hour, trace_id
