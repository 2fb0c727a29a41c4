-- What: the rates of traces that rollups hold, with the moments of their intervals: share 'retry',
--   'retry_success', 'guard' or 'error', and of observations 'conflict', 'unknown', 'confidence' or 'noise';
--   whole (tool_name NULL; not of errors) and, but for observations, by tool and name (rule, error class), each
--   over its period; whole also in each bucket of the scope, and in each of both periods each
--   rule over all its tools (tool_name '', no moments). With $tool_name only that tool, by name over its period
--   and in each bucket; and share 'guard_of_tool', its evaluations whatever their rule.
-- Unit: chains, evaluations, failed calls, cells; of confidence numerator, yy and ym are in millionths.
--   Denominator: n.
-- Excluded: what retry_rate.sql, guard_hits.sql, error_classes.sql and observation_health.sql exclude.
-- Whole days in a period are read by day, the other hours by hour; traces of several hours or days, and
-- what is not sealed yet, trace by trace.
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
    where is_of_days and hour >= $before_hour and hour < $end_hour
    union all
    select
        trace_id,
        hour,
        share,
        tool_name,
        name,
        n,
        numerator
    from rollup_crossing
    where
        not is_of_days
        and hour < $end_hour
        and (
            (hour >= $before_hour and hour < $first_day_hour)
            or (hour >= $start_day_hour and hour < $next_day_hour)
            or hour >= $end_day_hour
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
    from open_case
    where hour >= $before_hour and hour < $end_hour
),

placed as materialized (
    select
        trace_id,
        case when hour >= $start_hour then 1 else 0 end as is_now,
        hour * 3600000000000 - hour * 3600000000000 % $bucket_ns as bucket_time_ns,
        share,
        tool_name,
        name,
        n,
        numerator
    from apart
    where ($tool_name is null and share <> 'guard_of_tool') or tool_name = $tool_name
),

by_trace as (
    select
        trace_id,
        is_now,
        share,
        true as is_whole,
        null as tool_name,
        null as name,
        bucket_time_ns,
        sum(cast(n as double)) as n,
        sum(cast(numerator as double)) as numerator
    from placed
    where share <> 'error' and $tool_name is null
    group by grouping sets (
        (trace_id, is_now, share),
        (trace_id, is_now, share, bucket_time_ns)
    )
    union all
    select
        trace_id,
        is_now,
        share,
        false as is_whole,
        tool_name,
        name,
        null as bucket_time_ns,
        sum(cast(n as double)) as n,
        sum(cast(numerator as double)) as numerator
    from placed
    where share not in ('conflict', 'unknown', 'confidence', 'noise')
    group by trace_id, is_now, share, tool_name, name
    union all
    select
        trace_id,
        is_now,
        share,
        false as is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(cast(n as double)) as n,
        sum(cast(numerator as double)) as numerator
    from placed
    where $tool_name is not null
    group by trace_id, is_now, share, tool_name, name, bucket_time_ns
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
    where
        (day * 24 >= $first_day_hour and day * 24 < $start_day_hour)
        or (day * 24 >= $next_day_hour and day * 24 < $end_day_hour)
),

together as materialized (
    select
        case when hour >= $start_hour then 1 else 0 end as is_now,
        share,
        is_whole,
        case when is_whole then null else tool_name end as tool_name,
        name,
        hour * 3600000000000 - hour * 3600000000000 % $bucket_ns as bucket_time_ns,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rolled
    where
        ($tool_name is null and share <> 'guard_of_tool' and (share <> 'error' or not is_whole))
        or (tool_name = $tool_name and not is_whole)
),

evaluated as (
    select
        is_now,
        name,
        bucket_time_ns,
        n,
        numerator
    from placed
    where share = 'guard'
    union all
    select
        is_now,
        name,
        bucket_time_ns,
        n,
        numerator
    from together
    where share = 'guard' and not is_whole
),

summed as (
    select
        is_now,
        share,
        is_whole,
        tool_name,
        name,
        null as bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator,
        sum(n_clusters) as n_clusters,
        sum(yy) as yy,
        sum(ym) as ym,
        sum(mm) as mm
    from together
    group by is_now, share, is_whole, tool_name, name
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
        sum(n_clusters) as n_clusters,
        sum(yy) as yy,
        sum(ym) as ym,
        sum(mm) as mm
    from together
    where (is_whole and is_now = 1) or $tool_name is not null
    group by is_now, share, is_whole, tool_name, name, bucket_time_ns
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
        sum(squared(share, numerator)) as yy,
        sum(numerator * n) as ym,
        sum(n * n) as mm
    from by_trace
    where is_now = 1 or not is_whole or bucket_time_ns is null
    group by is_now, share, is_whole, tool_name, name, bucket_time_ns
),

final as (
    select
        is_now,
        share,
        is_whole,
        tool_name,
        name,
        bucket_time_ns,
        cast(sum(n) as bigint) as n,
        cast(sum(numerator) as bigint) as numerator,
        cast(sum(n_clusters) as bigint) as n_clusters,
        cast(sum(yy) as double) as yy,
        cast(sum(ym) as double) as ym,
        cast(sum(mm) as double) as mm
    from summed
    group by is_now, share, is_whole, tool_name, name, bucket_time_ns
    union all
    select
        is_now,
        'guard' as share,
        false as is_whole,
        '' as tool_name,
        name,
        bucket_time_ns,
        cast(sum(n) as bigint) as n,
        cast(sum(numerator) as bigint) as numerator,
        null as n_clusters,
        null as yy,
        null as ym,
        null as mm
    from evaluated
    where $tool_name is null
    group by is_now, name, bucket_time_ns
)

select
    is_now,
    share,
    is_whole,
    tool_name,
    name,
    bucket_time_ns,
    n,
    numerator,
    n_clusters,
    yy,
    ym,
    mm
from final
order by
    is_now,
    share,
    tool_name nulls first,
    name,
    bucket_time_ns nulls first
