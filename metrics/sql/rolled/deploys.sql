-- What: as series/deploys.sql, over what was seen by the hour: rows are read in the hours in which a
--   version was first and last seen. Dictionaries and templates, which few rows name, are read as there.
-- Unit: versions. Denominator: none.
-- Excluded: calls and observations that name no version or have no time.
-- Found from /* every row */: what was ever seen may lie before the period.
with hours as (
    select
        kind,
        name,
        value as version,
        min(hour) as first_hour,
        max(hour) as last_hour,
        sum(n) as n
    from seen
    where hour is not null
        and (
            (kind = 'contract' and ($tool_name is null or name = $tool_name))
            or (kind = 'model' and $tool_name is null)
        )
    group by kind, name, value
    having
        min(hour) * 3600000000000 < $end_time_ns
        and (max(hour) + 1) * 3600000000000 > $start_time_ns
),

edge as (
    select kind, name, version, first_hour as hour
    from hours
    union
    select kind, name, version, last_hour as hour
    from hours
),

edge_time as (
    select
        e.kind,
        e.name,
        e.version,
        min(c.start_time_ns) as first_time_ns,
        max(c.start_time_ns) as last_time_ns
    from tool_call as c
    inner join edge as e on c.hour = e.hour and c.tool_name = e.name and c.contract_version = e.version
    where e.kind = 'contract'
    group by e.kind, e.name, e.version
    union all
    select
        e.kind,
        e.name,
        e.version,
        min(d.time_ns) as first_time_ns,
        max(d.time_ns) as last_time_ns
    from decision as d
    inner join edge as e on d.hour = e.hour and d.model = e.version
    where e.kind = 'model'
    group by e.kind, e.name, e.version
),

told as (
    select
        'dictionary' as kind,
        '' as name,
        rule_version as version,
        time_ns
    from observation
    where rule_version is not null and $tool_name is null
    union all
    select
        'template' as kind,
        p.template as name,
        p.language as version,
        o.time_ns
    from prompt as p
    inner join observation as o
        on o.trace_id = p.trace_id and o.span_id = p.span_id and o.record_hash = p.record_hash
    where $tool_name is null
),

scoped as (
    select
        h.kind,
        h.name,
        h.version,
        e.first_time_ns,
        e.last_time_ns,
        h.n
    from hours as h
    inner join edge_time as e on e.kind = h.kind and e.name = h.name and e.version = h.version
    union all
    select
        kind,
        name,
        version,
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns,
        count(*) as n
    from told
    where time_ns is not null
    group by kind, name, version
),

final as (
    select
        kind,
        name,
        version,
        first_time_ns,
        last_time_ns,
        n
    from scoped
    where first_time_ns < $end_time_ns and last_time_ns >= $start_time_ns
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
