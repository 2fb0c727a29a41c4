-- What: calls: how they ended, and why they do not count in a latency, by tool over their period
--   (bucket_time_ns NULL); by that reason in each bucket (tool_name NULL); and those that were executed
--   by tool in each bucket.
-- Unit: calls. Denominator: none.
-- Excluded: nothing by reason. Calls without a time count in the first bucket of the period, and are
--   left out where they are told by tool in each bucket, as are pseudo tools.
with calls as (
    select
        hour,
        tool_name,
        reason,
        outcome,
        is_executed,
        n
    from rollup_call
    where hour is null or (hour >= $before_hour and hour < $end_hour)
    union all
    select
        hour,
        tool_name,
        reason,
        outcome,
        is_executed,
        1 as n
    from open_call
    where hour is null or (hour >= $before_hour and hour < $end_hour)
),

placed as (
    select
        case when hour < $start_hour then 0 else 1 end as is_now,
        coalesce(hour, $start_hour) * 3600000000000
            - coalesce(hour, $start_hour) * 3600000000000 % $bucket_ns as bucket_time_ns,
        hour is not null as is_placed,
        tool_name,
        reason,
        outcome,
        is_executed,
        sum(n) as n
    from calls
    group by all
),

cut as (
    select
        is_now,
        bucket_time_ns,
        is_placed,
        tool_name,
        reason,
        outcome,
        is_executed,
        sum(n) as n
    from placed
    group by grouping sets (
        (is_now, is_placed, tool_name, reason, outcome, is_executed),
        (is_now, bucket_time_ns, reason)
    )
    union all
    select
        is_now,
        bucket_time_ns,
        true as is_placed,
        tool_name,
        null as reason,
        null as outcome,
        true as is_executed,
        sum(n) as n
    from placed
    where is_placed and is_executed and reason <> 'pseudo_tool'
    group by is_now, bucket_time_ns, tool_name
),

final as (
    select
        is_now,
        bucket_time_ns,
        is_placed,
        tool_name,
        reason,
        outcome,
        is_executed,
        cast(n as bigint) as n
    from cut
)

select
    is_now,
    bucket_time_ns,
    is_placed,
    tool_name,
    reason,
    outcome,
    is_executed,
    n
from final
order by
    is_now,
    bucket_time_ns nulls first,
    tool_name nulls first,
    reason,
    outcome,
    is_executed
