-- d_inner: runs inside a run of the same tool: the same run seen twice (client and server, two
-- instrumentations), of which the outermost is kept. Spans that are each other's ancestors (a cycle
-- of bad parents) are inside nothing.
insert into d_inner by name
with runs as (
    select
        trace_id,
        span_id,
        tool_name,
        tool_call_id
    from d_evidence
    where evidence = 'execution'
)

select distinct
    inside.trace_id,
    inside.span_id
from runs as inside
inner join d_lineage
    on inside.trace_id = d_lineage.trace_id
    and inside.span_id = d_lineage.span_id
inner join runs as outside
    on d_lineage.trace_id = outside.trace_id
    and d_lineage.ancestor_id = outside.span_id
left join d_lineage as back
    on outside.trace_id = back.trace_id
    and outside.span_id = back.span_id
    and inside.span_id = back.ancestor_id
where back.span_id is null
    and (
        inside.tool_name is not distinct from outside.tool_name
        or inside.tool_call_id = outside.tool_call_id
    )
