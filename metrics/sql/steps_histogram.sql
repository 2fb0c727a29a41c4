-- What: how many tasks took how many steps.
-- Unit: tasks. Denominator: the finished tasks that steps_per_task counts.
-- Excluded: no start, unfinished, steps unknown.
with task as (
    select
        task_id,
        min(start_time_ns) as start_time_ns,
        min(case when is_finished then 1 else 0 end) as is_finished,
        max(case when n_steps is null then 1 else 0 end) as is_unknown,
        sum(n_steps) as n_steps
    from trace
    where
        task_id in (
            select task_id from trace
            where
                ($agent_name is null or agent_name = $agent_name)
                and (
                    $tool_name is null
                    or trace_id in (select trace_id from tool_call where tool_name = $tool_name)
                )
        )
    group by task_id
),

scoped as (
    select n_steps
    from task
    where
        start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and is_finished = 1
        and is_unknown = 0
),

final as (
    select
        n_steps,
        count(*) as n_tasks
    from scoped
    group by n_steps
)

select
    n_steps,
    n_tasks
from final
order by n_steps
