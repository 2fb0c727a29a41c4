-- What: guard evaluations and hits (block, modify, escalate), for the scope and the period before,
--   each in all and by rule and tool ('' for those without a name), whole and for each time
--   bucket.
-- Unit: hits. Denominator: n, evaluations with a verdict.
-- Excluded and counted: no time, synthetic (canary), no verdict (unknown or still pending).
-- An agent stands for the evaluations of its traces. Sums over traces are the interval's moments.
with placed as (
    select
        g.trace_id,
        coalesce(g.rule, '') as rule,
        coalesce(g.tool_name, '') as tool_name,
        g.is_hit,
        g.is_synthetic,
        g.decision,
        coalesce(g.time_ns, t.start_time_ns) as placed_time_ns
    from guard_evaluation as g
    left join trace as t on t.trace_id = g.trace_id
    where
        ($tool_name is null or g.tool_name = $tool_name)
        and ($agent_name is null or t.agent_name = $agent_name)
        and (
            g.time_ns is null
            or (g.time_ns >= $before_time_ns and g.time_ns < $end_time_ns)
        )
),

scoped as (
    select
        trace_id,
        rule,
        tool_name,
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        case when is_hit then 1 else 0 end as is_hit,
        case
            when placed_time_ns is null then 'no_start_time'
            when is_synthetic then 'synthetic'
            when decision in ('unknown', 'pending') then 'no_verdict'
            else 'counted'
        end as reason
    from placed
    where
        (placed_time_ns >= $before_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

bucketed as (
    select
        trace_id,
        rule,
        tool_name,
        is_hit,
        reason,
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns
    from scoped
),

by_trace as (
    select
        is_now,
        rule,
        tool_name,
        bucket_time_ns,
        trace_id,
        sum(case when reason = 'counted' then 1 else 0 end) as m,
        sum(case when reason = 'counted' then is_hit else 0 end) as y,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'synthetic' then 1 else 0 end) as synthetic,
        sum(case when reason = 'no_verdict' then 1 else 0 end) as no_verdict
    from bucketed
    group by grouping sets (
        (is_now, trace_id),
        (is_now, rule, tool_name, trace_id),
        (is_now, rule, tool_name, bucket_time_ns, trace_id),
        (is_now, bucket_time_ns, trace_id)
    )
),

final as (
    select
        is_now,
        rule,
        tool_name,
        bucket_time_ns,
        sum(m) as n,
        sum(y) as numerator,
        sum(m) as denominator,
        sum(case when m > 0 then 1 else 0 end) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm,
        sum(no_start_time) as no_start_time,
        sum(synthetic) as synthetic,
        sum(no_verdict) as no_verdict
    from by_trace
    group by is_now, rule, tool_name, bucket_time_ns
)

select
    is_now,
    rule,
    tool_name,
    bucket_time_ns,
    n,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm,
    no_start_time,
    synthetic,
    no_verdict
from final
order by
    is_now,
    rule nulls first,
    tool_name nulls first,
    bucket_time_ns nulls first
