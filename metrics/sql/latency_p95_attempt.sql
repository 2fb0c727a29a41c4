-- What: the quantile $q of attempt durations, for the scope and the period before, each in all and
--   by tool, and for each time bucket; with it the durations at $q_low and $q_high (ranks of the
--   interval) and how many attempts took $slow_ns or longer.
-- Unit: nanoseconds. Denominator: n, attempts with a real duration.
-- Excluded and counted: no start, pseudo tools, blocked, unfinished, end before start.
with scoped as (
    select
        tool_name,
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        duration_ns,
        reason
    from timed_attempt
    where
        ($tool_name is null or tool_name = $tool_name)
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
        tool_name,
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        reason,
        case when reason = 'counted' then duration_ns end as real_duration_ns
    from scoped
),

final as (
    select
        is_now,
        tool_name,
        bucket_time_ns,
        sum(case when reason = 'counted' then 1 else 0 end) as n,
        sum(real_duration_ns) as total_ns,
        exact_quantile(real_duration_ns, $q) as value_ns,
        exact_quantile(real_duration_ns, $q_low) as low_ns,
        exact_quantile(real_duration_ns, $q_high) as high_ns,
        sum(case when real_duration_ns >= $slow_ns then 1 else 0 end) as n_slow,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'pseudo_tool' then 1 else 0 end) as pseudo_tool,
        sum(case when reason = 'blocked' then 1 else 0 end) as blocked,
        sum(case when reason = 'unfinished' then 1 else 0 end) as unfinished,
        sum(case when reason = 'negative_duration' then 1 else 0 end) as negative_duration
    from bucketed
    group by grouping sets (
        (is_now),
        (is_now, tool_name),
        (is_now, bucket_time_ns)
    )
)

select
    is_now,
    tool_name,
    bucket_time_ns,
    n,
    total_ns,
    value_ns,
    low_ns,
    high_ns,
    n_slow,
    no_start_time,
    pseudo_tool,
    blocked,
    unfinished,
    negative_duration
from final
order by
    is_now,
    tool_name nulls first,
    bucket_time_ns nulls first
