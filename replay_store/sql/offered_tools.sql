-- What: each tool as it was last on offer to a model.
-- Unit: one row a tool. A tool that nobody was seen to offer has none; the latest offer is that of
-- the trace with the latest start, traces without a time before all others.
with
seen as (
    select
        llm_call.catalogue_hash,
        max(coalesce(trace.start_time_ns, -1)) as last_time_ns
    from llm_call
    inner join trace
        on llm_call.trace_id = trace.trace_id
    where llm_call.catalogue_hash is not null
    group by llm_call.catalogue_hash
)

select
    offered_tool.tool_name,
    arg_max(coalesce(offered_tool.description, ''), (seen.last_time_ns, seen.catalogue_hash))
        as description,
    arg_max(coalesce(offered_tool.input_schema, ''), (seen.last_time_ns, seen.catalogue_hash))
        as input_schema
from offered_tool
inner join seen
    on offered_tool.catalogue_hash = seen.catalogue_hash
where offered_tool.tool_name is not null
group by offered_tool.tool_name
order by offered_tool.tool_name
