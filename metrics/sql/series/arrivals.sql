-- What: traces that started in each hour.
-- Unit: traces. Denominator: none.
-- Excluded: traces without a start.
with scoped as (
    select hour
    from trace
    where
        start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and ($agent_name is null or agent_name = $agent_name)
),

final as (
    select
        hour,
        count(*) as n
    from scoped
    group by hour
)

select
    hour,
    n
from final
order by hour
