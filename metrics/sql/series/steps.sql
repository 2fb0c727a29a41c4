-- What: how many tasks took how many steps, hour by hour.
-- Unit: tasks by number of steps. Denominator: none. A task stands at its first start.
-- Excluded: no start, unfinished, steps unknown (a trace of it does not show them).
with task as (
    select
        task_id,
        min(start_time_ns) as start_time_ns,
        min(case when is_finished then 1 else 0 end) as is_finished,
        max(case when n_steps is null then 1 else 0 end) as is_unknown,
        sum(n_steps) as n_steps
    from trace
    where ($agent_name is null or agent_name = $agent_name)
    group by task_id
),

scoped as (
    select
        (start_time_ns - start_time_ns % 3600000000000) / 3600000000000 as hour,
        n_steps
    from task
    where
        start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and is_finished = 1
        and is_unknown = 0
),

final as (
    select
        hour,
        n_steps as value,
        count(*) as n
    from scoped
    group by hour, n_steps
)

select
    '' as name,
    hour,
    value,
    n
from final
order by
    hour,
    value
