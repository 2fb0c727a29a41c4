-- What: the newest canary of each guard rule: a synthetic call that the rule must stop.
-- Unit: evaluations. Denominator: none.
-- Excluded: real evaluations; canaries without a time, without a rule, or still pending.
with scoped as (
    select
        trace_id,
        rule,
        time_ns,
        is_hit
    from guard_evaluation
    where
        is_synthetic
        and rule is not null
        and decision <> 'pending'
        and time_ns >= $start_time_ns
        and time_ns < $end_time_ns
),

final as (
    select
        rule,
        hex_trace(argMax(trace_id, time_ns)) as trace_id,
        max(time_ns) as time_ns,
        argMax(is_hit, time_ns) as is_hit,
        max(case when is_hit then time_ns end) as last_hit_time_ns,
        count(*) as n
    from scoped
    group by rule
)

select
    rule,
    trace_id,
    time_ns,
    is_hit,
    last_hit_time_ns,
    n
from final
order by rule
