-- What: durations of calls, attempts and model calls, as latency_p95_*.sql tell them, by latency bucket:
--   over whole periods, and in each time bucket of the scope.
-- Unit: durations in lat_counts, by the bucket at the same place of lat_buckets (rising, 2 % wide);
--   nanoseconds in total_ns. Denominator: n, those with a real duration.
-- Excluded: what latency_p95_*.sql exclude.
-- Whole days in a period are read by day, the other hours by hour; what is not sealed yet from open_time.
with times as (
    select
        hour,
        counted,
        lat_bucket,
        n,
        total_ns
    from rollup_time
    where
        hour < $end_hour
        and (
            (hour >= $before_hour and hour < $first_day_hour)
            or (hour >= $start_day_hour and hour < $next_day_hour)
            or hour >= $end_day_hour
        )
    union all
    select
        day * 24 as hour,
        counted,
        lat_bucket,
        n,
        total_ns
    from rollup_time_day
    where
        (day * 24 >= $first_day_hour and day * 24 < $start_day_hour)
        or (day * 24 >= $next_day_hour and day * 24 < $end_day_hour)
    union all
    select
        hour,
        counted,
        latency_bucket(duration_ns) as lat_bucket,
        1 as n,
        duration_ns as total_ns
    from open_time
    where hour >= $before_hour and hour < $end_hour
),

by_time as (
    select
        case when hour >= $start_hour then 1 else 0 end as is_now,
        counted,
        case when hour >= $start_hour then hour * 3600000000000 - hour * 3600000000000 % $bucket_ns end
            as bucket_time_ns,
        lat_bucket,
        cast(sum(n) as bigint) as n,
        sum(total_ns) as total_ns
    from times
    group by is_now, counted, bucket_time_ns, lat_bucket
),

cut as (
    select
        is_now,
        counted,
        bucket_time_ns,
        lat_bucket,
        n,
        total_ns
    from by_time
    where is_now = 1
    union all
    select
        is_now,
        counted,
        null as bucket_time_ns,
        lat_bucket,
        sum(n) as n,
        sum(total_ns) as total_ns
    from by_time
    group by is_now, counted, lat_bucket
),

final as (
    select
        is_now,
        counted,
        bucket_time_ns,
        cast(sum(n) as bigint) as n,
        cast(sum(total_ns) as double) as total_ns,
        list(lat_bucket order by lat_bucket) as lat_buckets,
        list(cast(n as bigint) order by lat_bucket) as lat_counts
    from cut
    group by is_now, counted, bucket_time_ns
)

select
    is_now,
    counted,
    bucket_time_ns,
    n,
    total_ns,
    lat_buckets,
    lat_counts
from final
order by
    is_now,
    counted,
    bucket_time_ns nulls first
