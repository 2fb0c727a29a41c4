-- What: steps of tasks, for the scope, the period before and each time bucket: sum, sum of squares,
--   90th percentile, and tasks that made the same call twice in a row.
-- Unit: steps. Denominator: n, finished tasks (all traces of one task id), placed by their first
--   start.
-- Excluded and counted: no start, unfinished, steps unknown (a trace of it does not show them).
-- A tool or an agent stands for the tasks in which it took part.
with task as (
    select
        task_id,
        min(start_time_ns) as start_time_ns,
        min(case when is_finished then 1 else 0 end) as is_finished,
        max(case when n_steps is null then 1 else 0 end) as is_unknown,
        sum(n_steps) as n_steps,
        max(longest_identical_run) as longest_identical_run
    from trace
    where
        task_id in (
            select task_id from trace
            where
                (start_time_ns >= $before_time_ns and start_time_ns < $end_time_ns)
                or start_time_ns is null
        )
        and task_id in (
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
    select
        coalesce(start_time_ns, $start_time_ns) as time_ns,
        n_steps,
        longest_identical_run,
        case
            when start_time_ns is null then 'no_start_time'
            when is_finished = 0 then 'unfinished'
            when is_unknown = 1 then 'steps_unknown'
            else 'counted'
        end as reason
    from task
    where
        (start_time_ns >= $before_time_ns and start_time_ns < $end_time_ns)
        or start_time_ns is null
),

bucketed as (
    select
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        reason,
        case when reason = 'counted' then n_steps end as n_steps,
        case when reason = 'counted' and longest_identical_run > 1 then 1 else 0 end as is_repeating
    from scoped
),

final as (
    select
        is_now,
        bucket_time_ns,
        sum(case when reason = 'counted' then 1 else 0 end) as n,
        sum(n_steps) as numerator,
        sum(n_steps * n_steps) as sum_of_squares,
        exact_quantile(n_steps, 0.9) as p90,
        sum(is_repeating) as n_repeating,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'unfinished' then 1 else 0 end) as unfinished,
        sum(case when reason = 'steps_unknown' then 1 else 0 end) as steps_unknown
    from bucketed
    group by grouping sets (
        (is_now),
        (is_now, bucket_time_ns)
    )
)

select
    is_now,
    bucket_time_ns,
    n,
    numerator,
    n as denominator,
    sum_of_squares,
    p90,
    n_repeating,
    no_start_time,
    unfinished,
    steps_unknown
from final
order by
    is_now,
    bucket_time_ns nulls first
