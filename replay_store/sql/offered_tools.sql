-- What: each tool as it was last on offer to a model.
-- Unit: one row a tool. The latest offer is that of the latest decision; catalogues that no decision with
-- a time shows come before all others. Decisions are read in the last hour of each catalogue only.
with
last_hours as (
    select
        value::ubigint as catalogue_hash,
        max(hour) as last_hour
    from seen
    where kind = 'catalogue'
        and hour is not null
    group by value
),

last_seen as (
    select
        decision.catalogue_hash,
        max(decision.time_ns) as last_time_ns
    from decision
    inner join last_hours
        on decision.hour = last_hours.last_hour
        and decision.catalogue_hash = last_hours.catalogue_hash
    group by decision.catalogue_hash
)

select
    offered_tool.tool_name,
    arg_max(
        coalesce(offered_tool.description, ''),
        (coalesce(last_seen.last_time_ns, -1), offered_tool.catalogue_hash)
    ) as description,
    arg_max(
        coalesce(offered_tool.input_schema, ''),
        (coalesce(last_seen.last_time_ns, -1), offered_tool.catalogue_hash)
    ) as input_schema
from offered_tool
left join last_seen using (catalogue_hash)
where offered_tool.tool_name is not null
group by offered_tool.tool_name
order by offered_tool.tool_name
