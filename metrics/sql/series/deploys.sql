-- What: when each version of a contract and a model was first and last seen.
-- Unit: versions. Denominator: none.
-- Excluded: calls and decisions that name no version or have no time. Of one tool only the versions of
--   its contract.
-- Found from /* every row */: what was ever seen may lie before the period.
with seen as (
    select
        'contract' as kind,
        tool_name as name,
        contract_version as version,
        start_time_ns as time_ns
    from tool_call
    where contract_version is not null and ($tool_name is null or tool_name = $tool_name)
    union all
    select
        'model' as kind,
        '' as name,
        model as version,
        time_ns
    from decision
    where model is not null and $tool_name is null
),

final as (
    select
        kind,
        name,
        version,
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns,
        count(*) as n
    from seen
    where time_ns is not null
    group by kind, name, version
    having min(time_ns) < $end_time_ns and max(time_ns) >= $start_time_ns
)

select
    kind,
    name,
    version,
    first_time_ns,
    last_time_ns,
    n
from final
order by
    first_time_ns,
    kind,
    name,
    version
