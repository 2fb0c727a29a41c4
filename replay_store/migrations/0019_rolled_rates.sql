-- What metrics ask of rollups and open rows together, for the hours before_hour <= start_hour <=
-- end_hour: is_now tells those from start_hour on. Rows without a time count as now.

-- Rates with their moments over traces; whole and by tool and name, each over its period (bucket_time_ns
-- NULL) and in each bucket. The days that lie whole in first_day_hour..start_day_hour and
-- next_day_hour..end_day_hour are read from rollup_share_day, the other hours from rollup_share.
create macro rolled_shares(
    before_hour, first_day_hour, start_day_hour, start_hour, next_day_hour, end_day_hour, end_hour,
    bucket_ns
) as table
with apart as (
    select
        trace_id,
        hour,
        share,
        tool_name,
        name,
        n,
        numerator
    from rollup_crossing
    where hour >= before_hour
        and hour < end_hour
        and (
            is_of_days
            or hour < first_day_hour
            or (hour >= start_day_hour and hour < next_day_hour)
            or hour >= end_day_hour
        )
    union all
    select
        trace_id,
        hour,
        share,
        tool_name,
        name,
        n,
        numerator
    from open_share
    where hour >= before_hour
        and hour < end_hour
),

placed as (
    select
        trace_id,
        (hour >= start_hour)::integer as is_now,
        hour * 3600000000000 - (hour * 3600000000000) % bucket_ns as bucket_time_ns,
        share,
        tool_name,
        name,
        n,
        numerator
    from apart
),

by_trace as (
    select
        trace_id,
        is_now,
        share,
        grouping(tool_name) = 1 as is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator
    from placed
    group by grouping sets (
        (trace_id, is_now, share),
        (trace_id, is_now, share, tool_name, name),
        (trace_id, is_now, share, bucket_time_ns),
        (trace_id, is_now, share, tool_name, name, bucket_time_ns)
    )
),

rolled as (
    select
        hour,
        share,
        is_whole,
        tool_name,
        name,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rollup_share
    where hour < end_hour
        and (
            (hour >= before_hour and hour < first_day_hour)
            or (hour >= start_day_hour and hour < next_day_hour)
            or hour >= end_day_hour
        )
    union all
    select
        day * 24 as hour,
        share,
        is_whole,
        tool_name,
        name,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rollup_share_day
    where (day * 24 >= first_day_hour and day * 24 < start_day_hour)
        or (day * 24 >= next_day_hour and day * 24 < end_day_hour)
),

together as (
    select
        (hour >= start_hour)::integer as is_now,
        hour * 3600000000000 - (hour * 3600000000000) % bucket_ns as bucket_time_ns,
        share,
        is_whole,
        case when is_whole then null else tool_name end as tool_name,
        name,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rolled
),

summed as (
    select
        is_now,
        share,
        is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator,
        sum(n_clusters) as n_clusters,
        sum(yy) as yy,
        sum(ym) as ym,
        sum(mm) as mm
    from together
    group by grouping sets (
        (is_now, share, is_whole, tool_name, name),
        (is_now, share, is_whole, tool_name, name, bucket_time_ns)
    )
    union all
    select
        is_now,
        share,
        is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator,
        count(*) as n_clusters,
        sum(numerator * numerator) as yy,
        sum(numerator * n) as ym,
        sum(n * n) as mm
    from by_trace
    group by is_now, share, is_whole, tool_name, name, bucket_time_ns
)

select
    is_now,
    share,
    is_whole,
    tool_name,
    name,
    bucket_time_ns,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    sum(n_clusters)::bigint as n_clusters,
    sum(yy)::double as yy,
    sum(ym)::double as ym,
    sum(mm)::double as mm
from summed
group by is_now, share, is_whole, tool_name, name, bucket_time_ns;

-- What is counted beside them, by hour; is_now and bucket_time_ns as above.
create macro rolled_counts(before_hour, start_hour, end_hour, bucket_ns) as table
with counted_rows as (
    select
        hour,
        counted,
        tool_name,
        name,
        kind,
        n
    from rollup_count
    union all
    select
        hour,
        counted,
        tool_name,
        name,
        kind,
        n
    from open_count
)

select
    case when hour < start_hour then 0 else 1 end as is_now,
    coalesce(hour, start_hour) * 3600000000000
        - (coalesce(hour, start_hour) * 3600000000000) % bucket_ns as bucket_time_ns,
    hour is not null as is_placed,
    counted,
    tool_name,
    name,
    kind,
    sum(n)::bigint as n
from counted_rows
where hour is null
    or (hour >= before_hour and hour < end_hour)
group by all;

-- Calls likewise.
create macro rolled_calls(before_hour, start_hour, end_hour, bucket_ns) as table
with calls as (
    select
        hour,
        tool_name,
        reason,
        outcome,
        is_executed,
        n
    from rollup_call
    union all
    select
        hour,
        tool_name,
        reason,
        outcome,
        is_executed,
        1 as n
    from open_call
)

select
    case when hour < start_hour then 0 else 1 end as is_now,
    coalesce(hour, start_hour) * 3600000000000
        - (coalesce(hour, start_hour) * 3600000000000) % bucket_ns as bucket_time_ns,
    hour is not null as is_placed,
    tool_name,
    reason,
    outcome,
    is_executed,
    sum(n)::bigint as n
from calls
where hour is null
    or (hour >= before_hour and hour < end_hour)
group by all;
