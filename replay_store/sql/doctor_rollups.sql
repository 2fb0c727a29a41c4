-- Tools: the rollups hold as many calls as are sealed, and by day as many durations as by hour.
with calls as (
    select
        tool_name,
        count(*) as n
    from tool_call_sealed
    group by tool_name
),

rolled as (
    select
        tool_name,
        sum(n)::bigint as n
    from rollup_call
    group by tool_name
),

hours as (
    select
        tool_name,
        sum(n)::bigint as n
    from rollup_time
    group by tool_name
),

days as (
    select
        tool_name,
        sum(n)::bigint as n
    from rollup_time_day
    group by tool_name
)

select
    tool_name as example,
    coalesce(calls.n, 0) <> coalesce(rolled.n, 0)
    or coalesce(hours.n, 0) <> coalesce(days.n, 0) as is_wrong
from calls
full join rolled using (tool_name)
full join hours using (tool_name)
full join days using (tool_name)
