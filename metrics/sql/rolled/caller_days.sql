-- What: quota_used.sql over rollups and open rows.
-- Unit: calls. Denominator: none; a quota is the contract's.
-- Excluded: what quota_used.sql excludes. $day_offset_ns is a whole number of hours.
with called as (
    select
        hour,
        tool_name,
        name,
        n
    from rollup_tool_count
    where
        counted = 'caller'
        and ($tool_name is null or tool_name = $tool_name)
        and hour >= $start_hour
        and hour < $end_hour
    union all
    select
        hour,
        tool_name,
        name,
        n
    from open_tool_count
    where
        counted = 'caller'
        and ($tool_name is null or tool_name = $tool_name)
        and hour >= $start_hour
        and hour < $end_hour
),

placed as (
    select
        tool_name,
        name as caller,
        hour * 3600000000000
            - (hour * 3600000000000 + $day_offset_ns) % 86400000000000 as day_time_ns,
        n
    from called
),

final as (
    select
        tool_name,
        caller,
        day_time_ns,
        cast(sum(n) as bigint) as n_calls
    from placed
    group by tool_name, caller, day_time_ns
)

select
    tool_name,
    caller,
    day_time_ns,
    n_calls
from final
order by
    tool_name,
    caller,
    day_time_ns
