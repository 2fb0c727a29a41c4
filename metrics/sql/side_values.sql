-- What: values of one side of a comparison, how many of each: durations of calls by tool and of model
--   calls by model (by bucket of a logarithmic scale, 2 % wide), steps of tasks, and the order in
--   which the first three tools of a trace came.
-- Unit: calls, model calls, tasks, traces. Denominator: none.
-- Excluded: traces without a start; pseudo tools, blocked and never executed calls; what has no real
--   duration; unfinished tasks and those whose steps are not visible.
with picked as (
    select
        trace_id,
        is_finished,
        n_steps
    from side_traces(
        $start_time_ns,
        $end_time_ns,
        $agent_name,
        $tool_name,
        $contract_version,
        $model,
        $template
    )
),

call as (
    select
        c.trace_id,
        c.call_index,
        c.tool_name,
        c.lat_bucket
    from tool_call as c
    inner join picked as p on p.trace_id = c.trace_id
    where c.is_executed and not c.is_pseudo and c.status <> 'blocked'
),

answered as (
    select
        coalesce(m.model, '') as model,
        m.lat_bucket
    from model_call as m
    inner join picked as p on p.trace_id = m.trace_id
),

plan as (
    select
        trace_id,
        concat(
            max(case when call_index = 0 then tool_name else '' end),
            ' > ',
            max(case when call_index = 1 then tool_name else '' end),
            ' > ',
            max(case when call_index = 2 then tool_name else '' end)
        ) as tools
    from call
    group by trace_id
),

scoped as (
    select 'latency_p95_call' as series, tool_name as name, lat_bucket as value
    from call
    where
        lat_bucket is not null
        and ($tool_name is null or tool_name = $tool_name)
    union all
    select 'latency_p95_model' as series, model as name, lat_bucket as value
    from answered
    where lat_bucket is not null and ($model is null or model = $model)
    union all
    select 'steps_per_task' as series, '' as name, n_steps as value
    from picked
    where is_finished and n_steps is not null
    union all
    select 'plan' as series, tools as name, 0 as value
    from plan
),

final as (
    select
        series,
        name,
        value,
        count(*) as n
    from scoped
    group by series, name, value
)

select
    series,
    name,
    value,
    n
from final
order by
    series,
    name,
    value
