-- What: durations of calls or of attempts ($counted) of one tool, as latency_p95_*.sql tell them, by
--   latency bucket: over whole periods (bucket_time_ns NULL), and in each time bucket.
-- Unit: durations in lat_counts, by the bucket at the same place of lat_buckets (rising, 2 % wide).
--   Denominator: n, those with a real duration.
-- Excluded: what latency_p95_*.sql exclude.
with times as (
    select
        hour,
        lat_bucket,
        n
    from rollup_tool_time
    where
        counted = $counted
        and tool_name = $tool_name
        and n_hours = 1
        and hour < $end_hour
        and (
            (hour >= $before_hour and hour < $first_day_hour)
            or (hour >= $start_day_hour and hour < $next_day_hour)
            or hour >= $end_day_hour
        )
    union all
    select
        hour,
        lat_bucket,
        n
    from rollup_tool_time
    where
        counted = $counted
        and tool_name = $tool_name
        and n_hours = 24
        and (
            (hour >= $first_day_hour and hour < $start_day_hour)
            or (hour >= $next_day_hour and hour < $end_day_hour)
        )
    union all
    select
        hour,
        latency_bucket(duration_ns) as lat_bucket,
        1 as n
    from open_time
    where
        counted = $counted
        and tool_name = $tool_name
        and hour >= $before_hour
        and hour < $end_hour
),

placed as (
    select
        case when hour >= $start_hour then 1 else 0 end as is_now,
        hour * 3600000000000 - hour * 3600000000000 % $bucket_ns as bucket_time_ns,
        lat_bucket,
        n
    from times
),

cut as (
    select
        is_now,
        bucket_time_ns,
        lat_bucket,
        sum(n) as n
    from placed
    group by grouping sets (
        (is_now, lat_bucket),
        (is_now, bucket_time_ns, lat_bucket)
    )
),

final as (
    select
        is_now,
        bucket_time_ns,
        cast(sum(n) as bigint) as n,
        list(lat_bucket order by lat_bucket) as lat_buckets,
        list(cast(n as bigint) order by lat_bucket) as lat_counts
    from cut
    group by is_now, bucket_time_ns
)

select
    is_now,
    bucket_time_ns,
    n,
    lat_buckets,
    lat_counts
from final
order by
    is_now,
    bucket_time_ns nulls first
