-- What: calls by tool and bucket: how they ended, and why they do not count in a latency.
-- Unit: calls. Denominator: none.
-- Excluded: nothing. Calls without a time are not is_placed.
with final as (
    select
        is_now,
        bucket_time_ns,
        is_placed,
        tool_name,
        reason,
        outcome,
        is_executed,
        n
    from rolled_calls($before_hour, $start_hour, $end_hour, $bucket_ns)
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
    bucket_time_ns,
    tool_name,
    reason,
    outcome,
    is_executed
