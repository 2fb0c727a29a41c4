-- What: the quantile $q of model call durations, for the scope, the period before and each time
--   bucket; with it the durations at $q_low and $q_high (ranks of the interval) and how many calls
--   took $slow_ns or longer.
-- Unit: nanoseconds. Denominator: n, model calls with a real duration. Model spans
--   inside model spans (double instrumentation) tell of one call.
-- Excluded and counted: no start, unfinished, end before start. A tool stands for the model calls
--   that asked for it, an agent for those of its traces.
with scoped as (
    select
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        duration_ns,
        reason
    from timed_model_call
    where
        (
            $tool_name is null
            or (trace_id, span_id) in (
                select trace_id, llm_span_id from decision
                where tool_name = $tool_name and llm_span_id is not null
            )
        )
        and ($agent_name is null or agent_name = $agent_name)
        and (
            start_time_ns is null
            or (start_time_ns >= $before_time_ns and start_time_ns < $end_time_ns)
        )
        and (
            (placed_time_ns >= $before_time_ns and placed_time_ns < $end_time_ns)
            or placed_time_ns is null
        )
),

bucketed as (
    select
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        reason,
        case when reason = 'counted' then duration_ns end as real_duration_ns
    from scoped
),

final as (
    select
        is_now,
        bucket_time_ns,
        sum(case when reason = 'counted' then 1 else 0 end) as n,
        sum(real_duration_ns) as total_ns,
        exact_quantile(real_duration_ns, $q) as value_ns,
        exact_quantile(real_duration_ns, $q_low) as low_ns,
        exact_quantile(real_duration_ns, $q_high) as high_ns,
        sum(case when real_duration_ns >= $slow_ns then 1 else 0 end) as n_slow,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'unfinished' then 1 else 0 end) as unfinished,
        sum(case when reason = 'negative_duration' then 1 else 0 end) as negative_duration
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
    total_ns,
    value_ns,
    low_ns,
    high_ns,
    n_slow,
    no_start_time,
    unfinished,
    negative_duration
from final
order by
    is_now,
    bucket_time_ns nulls first
