-- What: evaluations and hits of each guard rule; an unnamed rule is its own row.
-- Unit: evaluations, hits. Denominator: the evaluations of the rule.
-- Excluded: no time, synthetic (canary), no verdict (unknown or still pending).
with placed as (
    select
        g.trace_id,
        g.is_hit,
        g.is_synthetic,
        g.decision,
        g.rule,
        coalesce(g.time_ns, t.start_time_ns) as placed_time_ns
    from guard_evaluation as g
    left join trace as t on t.trace_id = g.trace_id
    where
        ($tool_name is null or g.tool_name = $tool_name)
        and ($agent_name is null or t.agent_name = $agent_name)
),

scoped as (
    select
        rule,
        case when is_hit then 1 else 0 end as is_hit
    from placed
    where
        placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
        and not is_synthetic
        and decision not in ('unknown', 'pending')
),

final as (
    select
        rule,
        count(*) as n_evaluations,
        sum(is_hit) as n_hits
    from scoped
    group by rule
)

select
    rule,
    n_evaluations,
    n_hits
from final
order by
    n_hits desc,
    n_evaluations desc,
    rule
