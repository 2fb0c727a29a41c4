-- What: when the versions of contracts and models were first and last seen in some hours ($seen_hours); of one
--   tool only those of its contract.
-- Unit: nanoseconds since the epoch. Denominator: none.
-- Excluded: what names no version or has no time.
with seen as (
    select
        'contract' as kind,
        tool_name as name,
        contract_version as version,
        hour,
        start_time_ns as time_ns
    from tool_call
    where
        hour in $seen_hours
        and contract_version is not null
        and ($tool_name is null or tool_name = $tool_name)
    union all
    select
        'model' as kind,
        '' as name,
        model as version,
        hour,
        time_ns
    from decision
    where hour in $seen_hours and model is not null and $tool_name is null
),

final as (
    select
        kind,
        name,
        version,
        hour,
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns
    from seen
    where time_ns is not null
    group by kind, name, version, hour
)

select
    kind,
    name,
    version,
    hour,
    first_time_ns,
    last_time_ns
from final
order by
    kind,
    name,
    version,
    hour
