-- d_inner: runs inside a run of the same tool: the same run seen twice (client and server, two
-- instrumentations), of which the outermost is kept and takes over what only the others tell; it
-- failed when one of them did. Spans that are each other's ancestors (a cycle of bad parents) are
-- inside nothing. A lone trace of an MCP call lies inside the agent's run of that tool by its time.
insert into d_inner by name
with runs as (
    select
        trace_id,
        own_trace_id,
        span_id,
        tool_name,
        tool_call_id,
        namespace,
        start_time_ns,
        end_time_ns
    from d_evidence
    where evidence = 'execution'
),

pairs as (
    select
        inside.trace_id,
        inside.span_id,
        outside.span_id as outer_id,
        d_lineage.generation
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
            or outside.tool_name is null
            or inside.tool_name is null
            or inside.tool_call_id = outside.tool_call_id
        )
    union all
    select
        inside.trace_id,
        inside.span_id,
        outside.span_id,
        9
    from runs as inside
    inner join runs as outside
        on inside.trace_id = outside.trace_id
        and inside.own_trace_id <> outside.own_trace_id
        and inside.tool_name = outside.tool_name
        and inside.start_time_ns >= outside.start_time_ns
        and inside.end_time_ns <= outside.end_time_ns
    where inside.namespace is null
        and starts_with(outside.namespace, 'mcp:')
)

select
    trace_id,
    span_id,
    arg_max(outer_id, generation) as outer_id
from pairs
group by trace_id, span_id;

update d_evidence set
    tool_name = coalesce(d_evidence.tool_name, told.tool_name),
    namespace = coalesce(d_evidence.namespace, told.namespace),
    tool_call_id = coalesce(d_evidence.tool_call_id, told.tool_call_id),
    arguments_preview = coalesce(d_evidence.arguments_preview, told.arguments_preview),
    arguments_hash = coalesce(d_evidence.arguments_hash, told.arguments_hash),
    is_arguments_valid = coalesce(d_evidence.is_arguments_valid, told.is_arguments_valid),
    result_preview = coalesce(d_evidence.result_preview, told.result_preview),
    status = case
        when d_evidence.status in ('error', 'blocked') then d_evidence.status
        else coalesce(told.failure, d_evidence.status)
    end,
    error_type = coalesce(d_evidence.error_type, told.error_type),
    error_message = coalesce(d_evidence.error_message, told.error_message),
    error_source = coalesce(d_evidence.error_source, told.error_source)
from (
    select
        d_inner.trace_id,
        d_inner.outer_id,
        max(d_evidence.tool_name) as tool_name,
        max(d_evidence.namespace) as namespace,
        max(d_evidence.tool_call_id) as tool_call_id,
        max(d_evidence.arguments_preview) as arguments_preview,
        max(d_evidence.arguments_hash) as arguments_hash,
        bool_and(d_evidence.is_arguments_valid) as is_arguments_valid,
        max(d_evidence.result_preview) as result_preview,
        max(d_evidence.status) filter (where d_evidence.status in ('error', 'blocked')) as failure,
        max(d_evidence.error_type) as error_type,
        max(d_evidence.error_message) as error_message,
        max(d_evidence.error_source) as error_source
    from d_inner
    inner join d_evidence using (trace_id, span_id)
    where d_evidence.evidence = 'execution'
    group by d_inner.trace_id, d_inner.outer_id
) as told
where d_evidence.trace_id = told.trace_id
    and d_evidence.span_id = told.outer_id
    and d_evidence.evidence = 'execution';
