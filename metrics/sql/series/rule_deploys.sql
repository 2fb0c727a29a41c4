-- What: when each version of a dictionary and a template was first and last seen.
-- Unit: versions. Denominator: none.
-- Excluded: observations that name no version or have no time.
-- Found from /* every row */: what was ever seen may lie before the period.
with seen as (
    select
        'dictionary' as kind,
        '' as name,
        rule_version as version,
        time_ns
    from observation
    where rule_version is not null
    union all
    select
        'template' as kind,
        p.template as name,
        p.language as version,
        o.time_ns
    from prompt as p
    inner join observation as o
        on o.trace_id = p.trace_id and o.span_id = p.span_id and o.record_hash = p.record_hash
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
