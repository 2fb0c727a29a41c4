-- What: what is counted beside the rates and quantiles that rollups hold: attempts, model calls, chains,
--   evaluations, and calls as retries that could not help; whole (tool_name NULL) and by tool and name
--   (rule), each over its period; whole also in each bucket. With $tool_name only that tool, by name over
--   its period and in each bucket.
-- Unit: as counted says. Denominator: none.
-- Excluded: nothing; most of these are what others exclude. Rows without a time count in the first
--   bucket of the period.
with counted_rows as (
    select
        coalesce(hour, $start_hour) as hour,
        counted,
        tool_name,
        name,
        kind,
        n
    from rollup_count
    where hour is null or (hour >= $before_hour and hour < $end_hour)
    union all
    select
        coalesce(hour, $start_hour) as hour,
        counted,
        tool_name,
        name,
        kind,
        n
    from open_count
    where hour is null or (hour >= $before_hour and hour < $end_hour)
),

placed as (
    select
        case when hour >= $start_hour then 1 else 0 end as is_now,
        hour * 3600000000000 - hour * 3600000000000 % $bucket_ns as bucket_time_ns,
        counted,
        tool_name,
        name,
        kind,
        n
    from counted_rows
    where $tool_name is null or tool_name = $tool_name
),

cut as (
    select
        is_now,
        bucket_time_ns,
        counted,
        tool_name,
        name,
        kind,
        sum(n) as n
    from placed
    group by grouping sets (
        (is_now, counted, kind),
        (is_now, counted, kind, bucket_time_ns),
        (is_now, counted, kind, tool_name, name)
    )
    union all
    select
        is_now,
        bucket_time_ns,
        counted,
        tool_name,
        name,
        kind,
        sum(n) as n
    from placed
    where $tool_name is not null
    group by is_now, counted, kind, tool_name, name, bucket_time_ns
),

final as (
    select
        is_now,
        bucket_time_ns,
        counted,
        tool_name,
        name,
        kind,
        cast(n as bigint) as n
    from cut
)

select
    is_now,
    bucket_time_ns,
    counted,
    tool_name,
    name,
    kind,
    n
from final
order by
    is_now,
    counted,
    tool_name nulls first,
    name nulls first,
    bucket_time_ns nulls first,
    kind
