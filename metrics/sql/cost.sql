-- What: what tasks and model calls cost: tokens and calls of each task, and what the list of tools
--   takes of each request.
-- Unit: tokens, calls, bytes. Denominator: n_tasks, tasks that show their tokens; n_requests, model
--   calls whose list of tools is visible.
-- Excluded: tasks without a start; model calls without a start, versions of one span but one.
-- A tool or an agent stands for the tasks in which it took part. (strlen counts bytes: `length`
--   elsewhere.)
with task as (
    select
        task_id,
        min(start_time_ns) as start_time_ns,
        sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens,
        sum(cached_input_tokens) as cached_input_tokens,
        sum(n_tool_calls) as n_tool_calls,
        sum(n_llm_calls) as n_llm_calls
    from trace
    where
        ($agent_name is null or agent_name = $agent_name)
        and (
            $tool_name is null
            or trace_id in (select trace_id from tool_call where tool_name = $tool_name)
        )
    group by task_id
),

tasks as (
    select
        count(*) as n_tasks,
        sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens,
        sum(cached_input_tokens) as cached_input_tokens,
        sum(n_tool_calls) as n_tool_calls,
        sum(n_llm_calls) as n_llm_calls,
        exact_quantile(input_tokens + output_tokens, 0.9) as p90_tokens,
        exact_quantile(n_tool_calls, 0.9) as p90_tool_calls
    from task
    where
        input_tokens is not null
        and output_tokens is not null
        and start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
),

catalogue as (
    select
        catalogue_hash,
        sum(
            strlen(tool_name) + strlen(coalesce(description, '')) + strlen(coalesce(input_schema, ''))
        ) as n_bytes
    from offered_tool
    group by catalogue_hash
),

request as (
    select
        l.trace_id,
        l.span_id,
        max(l.catalogue_hash) as catalogue_hash,
        max(l.input_tokens) as input_tokens
    from llm_call as l
    inner join span as s
        on s.trace_id = l.trace_id and s.span_id = l.span_id and s.record_hash = l.record_hash
    where
        l.catalogue_hash is not null
        and s.start_time_ns >= $start_time_ns
        and s.start_time_ns < $end_time_ns
        and (
            $agent_name is null
            or l.trace_id in (select trace_id from trace where agent_name = $agent_name)
        )
    group by l.trace_id, l.span_id
),

requests as (
    select
        count(*) as n_requests,
        sum(c.n_bytes) as n_catalogue_bytes,
        sum(case when r.input_tokens is not null then r.input_tokens end) as n_request_tokens
    from request as r
    inner join catalogue as c on c.catalogue_hash = r.catalogue_hash
),

final as (
    select
        t.n_tasks,
        t.input_tokens,
        t.output_tokens,
        t.cached_input_tokens,
        t.n_tool_calls,
        t.n_llm_calls,
        t.p90_tokens,
        t.p90_tool_calls,
        r.n_requests,
        r.n_catalogue_bytes,
        r.n_request_tokens
    from tasks as t
    cross join requests as r
)

select
    n_tasks,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    n_tool_calls,
    n_llm_calls,
    p90_tokens,
    p90_tool_calls,
    n_requests,
    n_catalogue_bytes,
    n_request_tokens
from final
order by n_tasks
