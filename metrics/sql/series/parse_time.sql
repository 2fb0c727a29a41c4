-- What: observations whose parsers took longer than $limit_ms, hour by hour.
-- Unit: observations. Denominator: n, observations that tell their parser time.
-- Excluded: no start, no parser time. Of several versions of one span each is counted.
with scoped as (
    select
        hour,
        parse_ms
    from observation
    where
        parse_ms is not null
        and hour is not null
        and time_ns >= $start_time_ns
        and time_ns < $end_time_ns
        and ($tool_name is null or list_contains(tool_names, $tool_name))
),

final as (
    select
        hour,
        count(*) as n,
        sum(case when parse_ms > $limit_ms then 1 else 0 end) as k
    from scoped
    group by hour
)

select
    '' as name,
    hour,
    n,
    k
from final
order by hour
