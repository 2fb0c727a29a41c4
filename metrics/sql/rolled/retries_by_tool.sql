-- What: chains of calls of each tool in each time bucket of the scope, and of share 'retry' how many were retried,
--   of 'retry_success' how many of the retried ended well.
-- Unit: chains. Denominator: n.
-- Excluded: what retry_rate.sql excludes.
-- Whole days are read by day, the other hours by hour; traces of several hours or days, and what is not sealed
-- yet, row by row.
with told as (
    select
        hour,
        share,
        tool_name,
        n,
        numerator
    from rollup_share
    where
        not is_whole
        and (
            (hour >= $start_hour and hour < $next_day_hour)
            or (hour >= $end_day_hour and hour < $end_hour)
        )
    union all
    select
        day * 24 as hour,
        share,
        tool_name,
        n,
        numerator
    from rollup_share_day
    where not is_whole and day * 24 >= $next_day_hour and day * 24 < $end_day_hour
    union all
    select
        hour,
        share,
        tool_name,
        n,
        numerator
    from rollup_crossing
    where
        (is_of_days and hour >= $start_hour and hour < $end_hour)
        or (hour >= $start_hour and hour < $next_day_hour)
        or (hour >= $end_day_hour and hour < $end_hour)
    union all
    select
        hour,
        share,
        tool_name,
        n,
        numerator
    from open_case
    where hour >= $start_hour and hour < $end_hour
),

final as (
    select
        share,
        tool_name,
        hour * 3600000000000 - hour * 3600000000000 % $bucket_ns as bucket_time_ns,
        cast(sum(n) as bigint) as n,
        cast(sum(numerator) as bigint) as numerator
    from told
    where share in ('retry', 'retry_success')
    group by share, tool_name, bucket_time_ns
)

select
    share,
    tool_name,
    bucket_time_ns,
    n,
    numerator
from final
order by
    tool_name,
    bucket_time_ns,
    share
