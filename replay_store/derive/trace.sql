-- One row a trace. The run failed when an agent, a wrapper, a model call or a root ended in an error
-- and no model call was answered after it; NULL when no root was seen to end and nothing failed, or
-- when the last turn asked for calls of which nothing was seen to come. A count is NULL where the
-- spans cannot show it. Linked traces hold what was first seen in them.
insert into trace_open by name
with task as (
    select
        trace_id,
        max(start_time_ns) as last_start_ns,
        bool_or(is_output_visible) as is_output_visible
    from d_turn
    group by trace_id
),

turns as (
    select
        own_trace_id as trace_id,
        count(*) as n_turns,
        case when count(*) = count(input_tokens) then sum(input_tokens) end as input_tokens,
        case when count(*) = count(output_tokens) then sum(output_tokens) end as output_tokens,
        sum(cached_input_tokens) as cached_input_tokens,
        list_sort(list_distinct(list(model))) as models
    from d_turn
    group by own_trace_id
),

rooted as (
    select
        d_span.own_trace_id,
        d_span.parent_span_id,
        d_span.name,
        d_span.role,
        d_span.dialects,
        d_span.start_time_ns,
        d_span.end_time_ns,
        d_span.duration_ns,
        d_span.received_time_ns,
        d_span.service_name,
        d_span.agent_name,
        d_span.session_id,
        d_span.user_id,
        d_span.task_id,
        d_span.step_index,
        d_span.is_error,
        d_span.error_type,
        d_span.error_message,
        -- Which comes first: by start, then as received; spans without a start come first.
        coalesce(d_span.start_time_ns, 0)::hugeint * 4294967296 + d_span.record_index as place,
        d_span.parent_span_id is null as is_root,
        d_span.parent_span_id is not null and parents.span_id is null as is_orphan,
        d_span.is_error
            and (
                d_span.role in ('agent', 'chain', 'model')
                or (d_span.parent_span_id is null and d_span.role <> 'tool')
            )
            and coalesce(
                task.last_start_ns < coalesce(d_span.end_time_ns, d_span.start_time_ns), true
            ) as is_failure
    from d_span
    left join d_span as parents
        on d_span.own_trace_id = parents.own_trace_id
        and d_span.parent_span_id = parents.span_id
    left join task
        on d_span.trace_id = task.trace_id
),

spans as (
    select
        own_trace_id as trace_id,
        count(*) as n_spans,
        sum(is_root::integer) as n_root_spans,
        sum(is_orphan::integer) as n_orphan_spans,
        sum(is_error::integer) as n_error_spans,
        sum((role = 'model' and is_error)::integer) as n_llm_errors,
        bool_or(role = 'model') as is_model_visible,
        -- A root without any time was told, not timed: it is not still running.
        sum((is_root and (end_time_ns is not null or start_time_ns is null))::integer) as n_ended_roots,
        sum((is_root and duration_ns is not null)::integer) as n_timed_roots,
        bool_or(is_failure) as has_failed,
        arg_max(error_type, start_time_ns) filter (where is_failure) as error_type,
        arg_max(error_message, start_time_ns) filter (where is_failure) as error_message,
        min(start_time_ns) as start_time_ns,
        max(end_time_ns) as end_time_ns,
        arg_min(name, place) filter (where is_root) as root_name,
        arg_min(name, place) filter (where role = 'agent') as agent_span_name,
        arg_min(name, place) as first_name,
        arg_min(service_name, place) as service_name,
        arg_min(agent_name, place) filter (where agent_name is not null) as agent_name,
        arg_min(session_id, place) filter (where session_id is not null) as session_id,
        arg_min(user_id, place) filter (where user_id is not null) as user_id,
        arg_min(task_id, place) filter (where task_id is not null) as task_id,
        list_sort(list_distinct(flatten(list(dialects)))) as dialects,
        len(list_distinct(list(step_index))) as n_step_indexes,
        min(received_time_ns) as first_received_time_ns,
        max(received_time_ns) as last_received_time_ns
    from rooted
    group by own_trace_id
),

counts as (
    select
        trace_id,
        sum(n_tool_calls) as n_tool_calls,
        sum(n_tool_errors) as n_tool_errors,
        sum(n_retries) as n_retries,
        coalesce(bool_or(is_outcome_hidden), false) as is_outcome_hidden,
        coalesce(bool_or(is_count_hidden), false) as is_count_hidden,
        coalesce(bool_or(are_repeats_hidden), false) as are_repeats_hidden,
        bool_or(is_left_open) as is_left_open,
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
        coalesce(spans.task_id, hex_trace(chosen.head_id)) as task_id,
        chosen.linked_by,
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
        coalesce(d_shown.tool_names, []) as tool_names,
        coalesce(d_shown.call_error_types, []) as call_error_types,
        coalesce(d_shown.fault_signs, []) as fault_signs,
        coalesce(spans.n_spans, 0) as n_spans,
        coalesce(spans.n_root_spans, 0) as n_root_spans,
        coalesce(spans.n_orphan_spans, 0) as n_orphan_spans,
        coalesce(spans.n_error_spans, 0) as n_error_spans,
        coalesce(counts.n_logs, 0) as n_logs,
        coalesce(counts.n_noise, 0) as n_noise,
        case
            when spans.is_model_visible and not coalesce(counts.is_count_hidden, false) then coalesce(turns.n_turns, 0)
        end as n_llm_calls,
        coalesce(spans.n_llm_errors, 0) as n_llm_errors,
        coalesce(task.is_output_visible, spans.is_model_visible and not coalesce(counts.is_count_hidden, false), false)
            or counts.n_tool_calls is not null
            or (
                chosen.linked_by is not null
                and chosen.head_id in (select d_call.trace_id from d_call)
            ) as are_calls_visible,
        coalesce(counts.n_tool_calls, 0) as n_tool_calls,
        counts.is_outcome_hidden,
        coalesce(counts.n_tool_errors, 0) as n_tool_errors,
        coalesce(counts.n_retries, 0) as n_retries,
        case
            when spans.n_step_indexes > 0 then spans.n_step_indexes
            when counts.is_count_hidden then null
            when chosen.linked_by is not null and task.trace_id is not null
                then coalesce(turns.n_turns, 0)
            else turns.n_turns
        end as n_steps,
        coalesce(counts.n_evaluations, 0) as n_guard_evaluations,
        coalesce(counts.n_hits, 0) as n_guard_hits,
        case when not coalesce(counts.is_count_hidden, false) then turns.input_tokens end as input_tokens,
        case when not coalesce(counts.is_count_hidden, false) then turns.output_tokens end as output_tokens,
        case when not coalesce(counts.is_count_hidden, false) then turns.cached_input_tokens end as cached_input_tokens,
        coalesce(counts.are_repeats_hidden, false) as are_repeats_hidden,
        coalesce(counts.longest_identical_run, 0) as longest_identical_run,
        coalesce(counts.is_left_open, false) as is_left_open,
        least(spans.first_received_time_ns, counts.first_received_time_ns, chosen.first_ns)
            as first_received_time_ns,
        greatest(spans.last_received_time_ns, counts.last_received_time_ns) as last_received_time_ns
    from chosen
    left join spans using (trace_id)
    left join turns using (trace_id)
    left join counts using (trace_id)
    left join d_shown using (trace_id)
    left join task
        on chosen.head_id = task.trace_id
)

select
    * exclude (
        has_failed,
        is_timed,
        are_calls_visible,
        is_outcome_hidden,
        are_repeats_hidden,
        is_left_open
    ) replace (
        case when are_calls_visible then n_tool_calls end as n_tool_calls,
        case when are_calls_visible and not coalesce(is_outcome_hidden, false) then n_tool_errors end
            as n_tool_errors,
        case when are_calls_visible and not coalesce(is_outcome_hidden, false) then n_retries end
            as n_retries,
        case when are_calls_visible and not are_repeats_hidden then longest_identical_run end
            as longest_identical_run
    ),
    (start_time_ns // 3600000000000)::integer as hour,
    case when is_timed then end_time_ns - start_time_ns end as duration_ns,
    case
        when has_failed then true
        when is_finished and not is_left_open then false
    end as is_run_failed,
    case
        when has_failed then 'error'
        when is_finished and not is_left_open then 'ok'
        when is_finished then 'unknown'
        when n_root_spans > 0 then 'unfinished'
        else 'unknown'
    end as status
from final
