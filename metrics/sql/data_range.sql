-- What: the first and the last start of anything the metrics count.
-- Unit: nanoseconds since the epoch. Denominator: none.
-- Excluded: rows without a start; NULL when there are no others.
with scoped as (
    select
        min(start_time_ns) as first_time_ns,
        max(start_time_ns) as last_time_ns
    from trace
    union all
    select
        min(start_time_ns) as first_time_ns,
        max(start_time_ns) as last_time_ns
    from tool_call
    union all
    select
        min(start_time_ns) as first_time_ns,
        max(start_time_ns) as last_time_ns
    from attempt
    union all
    select
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns
    from decision
    union all
    select
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns
    from guard_evaluation
),

final as (
    select
        min(first_time_ns) as first_time_ns,
        max(last_time_ns) as last_time_ns
    from scoped
)

select
    first_time_ns,
    last_time_ns
from final
order by first_time_ns
