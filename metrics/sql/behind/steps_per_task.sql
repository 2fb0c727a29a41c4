-- What: the traces behind steps (numerator), tasks (denominator) or tasks of $many_steps and more,
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; a task is 1 in its first trace, 0 in its others. Denominator: none.
-- Excluded: what steps_per_task.sql excludes.
with task as (
    select
        task_id,
        min(start_time_ns) as start_time_ns,
        min(case when is_finished then 1 else 0 end) as is_finished,
        max(case when n_steps is null then 1 else 0 end) as is_unknown,
        sum(n_steps) as n_steps,
        argMin(trace_id, (coalesce(start_time_ns, 9223372036854775807), trace_id)) as first_trace_id
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
    select
        task_id,
        first_trace_id
    from task
    where
        start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and is_finished = 1
        and is_unknown = 0
        and ($part <> 'worst' or n_steps >= $many_steps)
),

part as (
    select
        m.trace_id,
        case
            when $part = 'numerator' then m.n_steps
            when m.trace_id = s.first_trace_id then 1
            else 0
        end as n
    from trace as m
    inner join scoped as s on s.task_id = m.task_id
),

kept as (
    select
        p.trace_id,
        t.start_time_ns,
        p.n,
        p.n as units
    from part as p
    left join trace as t on t.trace_id = p.trace_id
    where p.n > 0 or $part <> 'numerator'
),

total as (
    select
        count(*) as n_traces,
        sum(n) as total_n,
        sum(units) as total_units
    from kept
),

final as (
    select
        hex_trace(k.trace_id) as trace_id,
        k.start_time_ns,
        k.n,
        k.units,
        total.n_traces,
        total.total_n,
        total.total_units
    from kept as k
    cross join total
)

select
    trace_id,
    start_time_ns,
    n,
    units,
    n_traces,
    total_n,
    total_units
from final
order by
    start_time_ns desc nulls last,
    trace_id
limit $limit offset $offset
