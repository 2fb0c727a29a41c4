-- What: the quantile $q of the time that the parsers of one observation took, for the scope, the period
--   before and each time bucket; with it the times at $q_low and $q_high (ranks of the interval) and
--   how many observations took $slow_ns or longer.
-- Unit: nanoseconds. Denominator: n, observations that tell their parser time.
-- Excluded and counted: no start, no parser time. Only the current version of a span counts.
-- A tool stands for the observations that were given its output.
-- Traces are read only for observations without a time, and for one agent.
with untimed_trace as (
    select
        trace_id,
        start_time_ns
    from trace
    where trace_id in (select trace_id from observation where time_ns is null)
),

placed as (
    select
        o.trace_id,
        o.parse_ms * 1e6 as parse_ns,
        coalesce(o.time_ns, t.start_time_ns) as placed_time_ns
    from observation_current as o
    left join untimed_trace as t on t.trace_id = o.trace_id
    where
        ($tool_name is null or list_contains(o.tool_names, $tool_name))
        and (
            $agent_name is null
            or o.trace_id in (select trace_id from trace where agent_name = $agent_name)
        )
        and (
            o.time_ns is null
            or (o.time_ns >= $before_time_ns and o.time_ns < $end_time_ns)
        )
),

scoped as (
    select
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        parse_ns,
        case
            when placed_time_ns is null then 'no_start_time'
            when parse_ns is null then 'no_parse_time'
            else 'counted'
        end as reason
    from placed
    where
        (placed_time_ns >= $before_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

bucketed as (
    select
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        reason,
        case when reason = 'counted' then parse_ns end as parse_ns
    from scoped
),

final as (
    select
        is_now,
        bucket_time_ns,
        sum(case when reason = 'counted' then 1 else 0 end) as n,
        exact_quantile(parse_ns, $q) as value_ns,
        exact_quantile(parse_ns, $q_low) as low_ns,
        exact_quantile(parse_ns, $q_high) as high_ns,
        sum(case when parse_ns >= $slow_ns then 1 else 0 end) as n_slow,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'no_parse_time' then 1 else 0 end) as no_parse_time
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
    value_ns,
    low_ns,
    high_ns,
    n_slow,
    no_start_time,
    no_parse_time
from final
order by
    is_now,
    bucket_time_ns nulls first
