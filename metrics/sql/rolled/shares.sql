-- What: the rates of traces that rollups hold, with the moments of their intervals: share 'retry',
--   'retry_success', 'guard' or 'error'; whole (tool_name NULL) and by tool and name (rule, error
--   class), each over its period and in each bucket.
-- Unit: chains, evaluations, failed calls. Denominator: n.
-- Excluded: what retry_rate.sql, guard_hits.sql and error_classes.sql exclude.
with final as (
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
    from rolled_shares(
        $before_hour,
        $first_day_hour,
        $start_day_hour,
        $start_hour,
        $next_day_hour,
        $end_day_hour,
        $end_hour,
        $bucket_ns
    )
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
