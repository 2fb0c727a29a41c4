-- What: tasks by bucket, by why they do not count (reason), by their steps, and whether they repeat a
--   call.
-- Unit: tasks (all traces of one task id), placed by their first start. Denominator: none.
-- Excluded: nothing; steps_per_task.sql counts those whose reason is 'counted'.
with final as (
    select
        is_now,
        bucket_time_ns,
        reason,
        n_steps,
        is_repeating,
        n
    from rolled_tasks($before_hour, $start_hour, $end_hour, $bucket_ns)
)

select
    is_now,
    bucket_time_ns,
    reason,
    n_steps,
    is_repeating,
    n
from final
order by
    is_now,
    bucket_time_ns,
    reason,
    n_steps,
    is_repeating
