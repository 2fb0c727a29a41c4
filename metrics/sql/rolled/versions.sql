-- What: the versions of contracts and models that were seen, with the first and the last hour in which they
--   were; of one tool only those of its contract.
-- Unit: calls and decisions in n. Denominator: none.
-- Excluded: what names no version or has no time; versions that were seen only before, or only after, the
--   period.
-- Found from /* every row */: what was ever seen may lie before the period.
with hours as (
    select
        hour,
        kind,
        name,
        value,
        n
    from rollup_seen
    union all
    select
        hour,
        kind,
        name,
        value,
        1 as n
    from open_seen
),

final as (
    select
        kind,
        name,
        value as version,
        min(hour) as first_hour,
        max(hour) as last_hour,
        cast(sum(n) as bigint) as n
    from hours
    where
        hour is not null
        and (
            (kind = 'contract' and ($tool_name is null or name = $tool_name))
            or (kind = 'model' and $tool_name is null)
        )
    group by kind, name, version
    having min(hour) < $end_hour and max(hour) >= $start_hour
)

select
    kind,
    name,
    version,
    first_hour,
    last_hour,
    n
from final
order by
    kind,
    name,
    version
