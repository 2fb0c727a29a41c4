-- What: guard evaluations and hits (block, modify, escalate), for each time bucket.
-- Unit: hits. Denominator: n, evaluations with a verdict.
-- Excluded and counted: no time, synthetic (canary), no verdict (unknown or still pending).
-- An agent stands for the evaluations of its traces. Sums over traces are the interval's moments.
with placed as (
    select
        g.trace_id,
        g.is_hit,
        g.is_synthetic,
        g.decision,
        coalesce(g.time_ns, t.start_time_ns) as placed_time_ns
    from guard_evaluation as g
    left join trace as t on t.trace_id = g.trace_id
    where
        ($tool_name is null or g.tool_name = $tool_name)
        and ($agent_name is null or t.agent_name = $agent_name)
),

scoped as (
    select
        trace_id,
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
        (placed_time_ns >= $start_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

by_trace as (
    select
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        trace_id,
        sum(case when reason = 'counted' then 1 else 0 end) as m,
        sum(case when reason = 'counted' then is_hit else 0 end) as y,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'synthetic' then 1 else 0 end) as synthetic,
        sum(case when reason = 'no_verdict' then 1 else 0 end) as no_verdict
    from scoped
    group by bucket_time_ns, trace_id
),

final as (
    select
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
    group by bucket_time_ns
)

select
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
order by bucket_time_ns
