-- One row a trace. The run failed when an agent, a wrapper, a model call or a root ended in an error
-- and no model call was answered after it; NULL when no root was seen to end and nothing failed.
insert into trace_open by name
with turns as (
    select
        trace_id,
        max(start_time_ns) as last_start_ns,
        count(*) as n_turns,
        case when count(*) = count(input_tokens) then sum(input_tokens) end as input_tokens,
        case when count(*) = count(output_tokens) then sum(output_tokens) end as output_tokens,
        sum(cached_input_tokens) as cached_input_tokens,
        list_sort(list_distinct(list(model))) as models
    from d_turn
    group by trace_id
),

rooted as (
    select
        d_span.*,
        d_span.parent_span_id is null as is_root,
        d_span.parent_span_id is not null and parents.span_id is null as is_orphan,
        d_span.is_error
            and (d_span.role in ('agent', 'chain', 'model') or d_span.parent_span_id is null)
            and coalesce(
                turns.last_start_ns < coalesce(d_span.end_time_ns, d_span.start_time_ns), true
            ) as is_failure
    from d_span
    left join d_span as parents
        on d_span.trace_id = parents.trace_id
        and d_span.parent_span_id = parents.span_id
    left join turns
        on d_span.trace_id = turns.trace_id
),

spans as (
    select
        trace_id,
        count(*) as n_spans,
        sum(is_root::integer) as n_root_spans,
        sum(is_orphan::integer) as n_orphan_spans,
        sum(is_error::integer) as n_error_spans,
        sum((role = 'model' and is_error)::integer) as n_llm_errors,
        -- A root without any time was told, not timed: it is not still running.
        sum((is_root and (end_time_ns is not null or start_time_ns is null))::integer) as n_ended_roots,
        sum((is_root and duration_ns is not null)::integer) as n_timed_roots,
        bool_or(is_failure) as has_failed,
        arg_max(error_type, start_time_ns) filter (where is_failure) as error_type,
        arg_max(error_message, start_time_ns) filter (where is_failure) as error_message,
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
        len(list_distinct(list(step_index))) as n_step_indexes,
        min(received_time_ns) as first_received_time_ns,
        max(received_time_ns) as last_received_time_ns
    from rooted
    group by trace_id
),

counts as (
    select
        trace_id,
        sum(n_tool_calls) as n_tool_calls,
        sum(n_tool_errors) as n_tool_errors,
        sum(n_retries) as n_retries,
        max(longest_identical_run) as longest_identical_run,
        sum(n_evaluations) as n_evaluations,
        sum(n_hits) as n_hits,
        sum(n_logs) as n_logs,
        sum(n_noise) as n_noise,
        coalesce(min(first_log_ns), min(first_noise_ns)) as start_time_ns,
        min(first_received_time_ns) as first_received_time_ns,
        max(last_received_time_ns) as last_received_time_ns
    from d_count
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
        coalesce(spans.start_time_ns, counts.start_time_ns) as start_time_ns,
        case when spans.n_ended_roots = spans.n_root_spans then spans.end_time_ns end as end_time_ns,
        coalesce(spans.has_failed, false) as has_failed,
        coalesce(spans.n_root_spans > 0 and spans.n_timed_roots = spans.n_root_spans, false) as is_timed,
        coalesce(spans.n_root_spans > 0 and spans.n_ended_roots = spans.n_root_spans, false) as is_finished,
        spans.error_type,
        spans.error_message,
        coalesce(spans.dialects, []) as dialects,
        coalesce(turns.models, []) as models,
        coalesce(spans.n_spans, 0) as n_spans,
        coalesce(spans.n_root_spans, 0) as n_root_spans,
        coalesce(spans.n_orphan_spans, 0) as n_orphan_spans,
        coalesce(spans.n_error_spans, 0) as n_error_spans,
        coalesce(counts.n_logs, 0) as n_logs,
        coalesce(counts.n_noise, 0) as n_noise,
        coalesce(turns.n_turns, 0) as n_llm_calls,
        coalesce(spans.n_llm_errors, 0) as n_llm_errors,
        coalesce(counts.n_tool_calls, 0) as n_tool_calls,
        coalesce(counts.n_tool_errors, 0) as n_tool_errors,
        coalesce(counts.n_retries, 0) as n_retries,
        case when spans.n_step_indexes > 0 then spans.n_step_indexes else turns.n_turns end as n_steps,
        coalesce(counts.n_evaluations, 0) as n_guard_evaluations,
        coalesce(counts.n_hits, 0) as n_guard_hits,
        turns.input_tokens,
        turns.output_tokens,
        turns.cached_input_tokens,
        coalesce(counts.longest_identical_run, 0) as longest_identical_run,
        least(spans.first_received_time_ns, counts.first_received_time_ns, chosen.first_ns)
            as first_received_time_ns,
        greatest(spans.last_received_time_ns, counts.last_received_time_ns) as last_received_time_ns
    from chosen
    left join spans using (trace_id)
    left join turns using (trace_id)
    left join counts using (trace_id)
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
