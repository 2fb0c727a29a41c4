-- What: the quantile $q of durations of calls, attempts and model calls, as latency_p95_*.sql tell
--   them, from latency buckets; over whole periods also the buckets themselves.
-- Unit: nanoseconds, within 1 %. Denominator: n, those with a real duration.
-- Excluded: what latency_p95_*.sql exclude. Only calls are told apart by tool, or asked about one.
with final as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        n,
        total_ns,
        value_ns,
        lat_buckets,
        lat_counts
    from rolled_quantiles(
        $tool_name,
        $before_hour,
        $first_day_hour,
        $start_day_hour,
        $start_hour,
        $next_day_hour,
        $end_day_hour,
        $end_hour,
        $bucket_ns,
        $q
    )
)

select
    is_now,
    counted,
    tool_name,
    bucket_time_ns,
    n,
    total_ns,
    value_ns,
    lat_buckets,
    lat_counts
from final
order by
    is_now,
    counted,
    tool_name nulls first,
    bucket_time_ns nulls first
