-- What: do idempotency keys keep their word? Calls of each tool that carry a key, whose key is the one
--   that task and step give (first 32 hex digits of sha256 of task:step), and steps of one tool that
--   were tried under several keys.
-- Unit: calls; steps. Denominator: n_calls, executed calls; n_steps, steps of one tool with a key.
-- Excluded: pseudo tools, blocked, never executed, no start; steps without an index.
-- A step counts once, with all its calls, where the first of them that carries a key is.
with placed as (
    select
        c.trace_id,
        t.task_id,
        c.tool_name,
        c.step_index,
        c.idempotency_key,
        c.is_pseudo,
        c.is_executed,
        c.status,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and (
            c.start_time_ns is null
            or (c.start_time_ns >= $start_time_ns and c.start_time_ns < $end_time_ns)
        )
),

scoped as (
    select
        trace_id,
        tool_name,
        step_index,
        idempotency_key,
        left(sha256(concat(task_id, ':', cast(step_index as varchar))), 32) as expected_key
    from placed
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
),

by_step as (
    select
        c.tool_name,
        c.trace_id,
        c.step_index,
        count(distinct c.idempotency_key) as n_keys,
        min(coalesce(c.start_time_ns, t.start_time_ns)) as placed_time_ns
    from tool_call as c
    left join trace as t on t.trace_id = c.trace_id
    where
        c.trace_id in (
            select trace_id
            from scoped
            where idempotency_key is not null and step_index is not null
        )
        and ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and c.is_executed
        and not c.is_pseudo
        and c.status <> 'blocked'
        and c.idempotency_key is not null
        and c.step_index is not null
        and coalesce(c.start_time_ns, t.start_time_ns) is not null
    group by c.tool_name, c.trace_id, c.step_index
),

steps as (
    select
        tool_name,
        count(*) as n_steps,
        sum(case when n_keys > 1 then 1 else 0 end) as n_steps_with_several
    from by_step
    where placed_time_ns >= $start_time_ns and placed_time_ns < $end_time_ns
    group by tool_name
),

calls as (
    select
        tool_name,
        count(*) as n_calls,
        sum(case when idempotency_key is not null then 1 else 0 end) as n_with_key,
        sum(case when idempotency_key = expected_key then 1 else 0 end) as n_deterministic
    from scoped
    group by tool_name
),

final as (
    select
        c.tool_name,
        c.n_calls,
        c.n_with_key,
        c.n_deterministic,
        coalesce(s.n_steps, 0) as n_steps,
        coalesce(s.n_steps_with_several, 0) as n_steps_with_several
    from calls as c
    left join steps as s on s.tool_name = c.tool_name
)

select
    tool_name,
    n_calls,
    n_with_key,
    n_deterministic,
    n_steps,
    n_steps_with_several
from final
order by
    n_calls desc,
    tool_name
