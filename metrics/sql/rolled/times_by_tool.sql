-- What: durations of the calls of each tool, as latency_p95_call.sql tells them, by latency bucket, over
--   whole periods.
-- Unit: durations in lat_counts, by the bucket at the same place of lat_buckets (rising, 2 % wide).
--   Denominator: n, those with a real duration.
-- Excluded: what latency_p95_call.sql excludes.
-- Read from the stretches of $hours_N hours that tile the periods; what is not sealed yet from open_time.
with times as (
    select
        hour,
        tool_name,
        lat_bucket,
        n
    from rollup_tool_time
    where counted = 'call' and n_hours = 1 and hour in $hours_1
    union all
    select
        hour,
        tool_name,
        lat_bucket,
        n
    from rollup_tool_time
    where counted = 'call' and n_hours = 6 and hour in $hours_6
    union all
    select
        hour,
        tool_name,
        lat_bucket,
        n
    from rollup_tool_time
    where counted = 'call' and n_hours = 24 and hour in $hours_24
    union all
    select
        hour,
        tool_name,
        lat_bucket,
        n
    from rollup_tool_time
    where counted = 'call' and n_hours = 168 and hour in $hours_168
    union all
    select
        hour,
        tool_name,
        latency_bucket(duration_ns) as lat_bucket,
        1 as n
    from open_time
    where counted = 'call' and hour >= $before_hour and hour < $end_hour
),

cut as (
    select
        case when hour >= $start_hour then 1 else 0 end as is_now,
        tool_name,
        lat_bucket,
        cast(sum(n) as bigint) as n
    from times
    group by is_now, tool_name, lat_bucket
),

final as (
    select
        is_now,
        tool_name,
        cast(sum(n) as bigint) as n,
        list(lat_bucket order by lat_bucket) as lat_buckets,
        list(n order by lat_bucket) as lat_counts
    from cut
    group by is_now, tool_name
)

select
    is_now,
    tool_name,
    n,
    lat_buckets,
    lat_counts
from final
order by
    is_now,
    tool_name
