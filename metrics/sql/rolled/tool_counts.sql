-- What: what is counted of each tool, or of $tool_name alone, beside its rates and durations: calls by
--   degradation, calls and steps with an idempotency key, what came after errors and how chains were
--   retried by error class (name), and why attempts do not count in a latency.
-- Unit: as counted says. Denominator: none.
-- Excluded: calls by caller, which caller_days.sql tells. Rows without a time count as now.
with counted_rows as (
    select
        hour,
        tool_name,
        counted,
        name,
        kind,
        n
    from rollup_tool_count
    where
        counted <> 'caller'
        and ($tool_name is null or tool_name = $tool_name)
        and (hour is null or (hour >= $before_hour and hour < $end_hour))
    union all
    select
        hour,
        tool_name,
        counted,
        name,
        kind,
        n
    from open_tool_count
    where
        counted <> 'caller'
        and ($tool_name is null or tool_name = $tool_name)
        and (hour is null or (hour >= $before_hour and hour < $end_hour))
),

placed as (
    select
        case when hour < $start_hour then 0 else 1 end as is_now,
        tool_name,
        counted,
        name,
        kind,
        n
    from counted_rows
),

final as (
    select
        is_now,
        tool_name,
        counted,
        name,
        kind,
        cast(sum(n) as bigint) as n
    from placed
    group by is_now, tool_name, counted, name, kind
)

select
    is_now,
    tool_name,
    counted,
    name,
    kind,
    n
from final
order by
    is_now,
    tool_name,
    counted,
    name,
    kind
