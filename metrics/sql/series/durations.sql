-- What: how many calls of each tool took how long, hour by hour.
-- Unit: calls by bucket of a logarithmic scale (2 % wide). Denominator: none.
-- Excluded: pseudo tools, blocked, never executed, without a real duration, without a start.
with scoped as (
    select
        tool_name,
        hour,
        lat_bucket
    from tool_call
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and duration_ns is not null
        and lat_bucket is not null
        and start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and ($tool_name is null or tool_name = $tool_name)
        and ($agent_name is null or agent_name = $agent_name)
),

final as (
    select
        tool_name as name,
        hour,
        lat_bucket as value,
        count(*) as n
    from scoped
    group by tool_name, hour, lat_bucket
)

select
    name,
    hour,
    value,
    n
from final
order by
    name,
    hour,
    value
