-- What: how long one guard rule has shown no sign of life: the cases in the hours after the one of its
--   last sign, and the first of those hours. With $is_of_hits the signs are its hits and the cases its
--   evaluations; else the signs are its evaluations and the cases the calls of the tools that it watches
--   (of all tools, where its evaluations name none).
-- Unit: evaluations, or calls. Denominator: none.
-- Excluded: what guard_hits.sql and call_count.sql exclude. Without any sign there is no row.
with evaluated as (
    select
        coalesce(g.tool_name, '') as tool_name,
        g.is_hit,
        (coalesce(g.time_ns, t.start_time_ns) - coalesce(g.time_ns, t.start_time_ns) % 3600000000000)
            as hour_ns
    from guard_evaluation as g
    left join trace as t on t.trace_id = g.trace_id
    where
        coalesce(g.rule, '') = $rule
        and not g.is_synthetic
        and g.decision not in ('unknown', 'pending')
        and ($tool_name is null or g.tool_name = $tool_name)
        and ($agent_name is null or t.agent_name = $agent_name)
        and coalesce(g.time_ns, t.start_time_ns) >= $before_time_ns
        and coalesce(g.time_ns, t.start_time_ns) < $end_time_ns
),

sign as (
    select max(hour_ns) as hour_ns
    from evaluated
    where is_hit or not $is_of_hits
),

called as (
    select
        c.tool_name,
        (coalesce(c.start_time_ns, t.start_time_ns) - coalesce(c.start_time_ns, t.start_time_ns) % 3600000000000)
            as hour_ns
    from tool_call as c
    left join trace as t on t.trace_id = c.trace_id
    where
        not $is_of_hits
        and c.is_executed
        and not c.is_pseudo
        and ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and coalesce(c.start_time_ns, t.start_time_ns) >= $before_time_ns
        and coalesce(c.start_time_ns, t.start_time_ns) < $end_time_ns
),

cases as (
    select hour_ns
    from evaluated
    where $is_of_hits
    union all
    select hour_ns
    from called
    where
        tool_name in (select tool_name from evaluated)
        or exists (select 1 from evaluated where tool_name = '')
),

final as (
    select
        count(*) as n_silent,
        min(c.hour_ns) as since_ns
    from cases as c
    inner join sign as s on c.hour_ns > s.hour_ns
)

select
    n_silent,
    since_ns
from final
where n_silent > 0
order by since_ns
