-- d_execution: tool spans that are one run each. A run inside a run of the same tool is the same
-- run seen twice (client and server, two instrumentations): the outermost is kept. Spans that
-- are each other's ancestors (a cycle of bad parents) are inside nothing.
-- turn_index: the last turn answered before the run began; NULL when none was.
-- Only keys take part in the comparisons; the long texts are joined once, at the end.
create or replace temp table d_execution as
with runs as (
    select
        call_evidence.trace_id,
        call_evidence.span_id,
        call_evidence.record_hash,
        call_evidence.tool_name,
        call_evidence.tool_call_id,
        d_span.start_time_ns,
        d_span.record_index
    from call_evidence
    inner join d_span
        on call_evidence.trace_id = d_span.trace_id
        and call_evidence.span_id = d_span.span_id
        and call_evidence.record_hash = d_span.record_hash
    where call_evidence.evidence = 'execution'
),

inner_runs as (
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
),

placed as (
    select
        row_number() over (
            order by outermost.trace_id, outermost.start_time_ns nulls last, outermost.record_index
        ) as execution_no,
        outermost.trace_id,
        outermost.span_id,
        outermost.record_hash,
        d_turn.turn_index
    from (
        select *
        from runs
        anti join inner_runs using (trace_id, span_id)
    ) as outermost
    asof left join d_turn
        on outermost.trace_id = d_turn.trace_id
        and outermost.start_time_ns >= d_turn.answered_time_ns
)

select
    placed.execution_no,
    call_evidence.*,
    d_span.start_time_ns,
    d_span.end_time_ns,
    d_span.duration_ns,
    d_span.hour,
    d_span.lat_bucket,
    d_span.record_index,
    placed.turn_index
from placed
inner join call_evidence
    on placed.trace_id = call_evidence.trace_id
    and placed.span_id = call_evidence.span_id
    and placed.record_hash = call_evidence.record_hash
    and call_evidence.evidence = 'execution'
inner join d_span
    on placed.trace_id = d_span.trace_id
    and placed.span_id = d_span.span_id
    and placed.record_hash = d_span.record_hash
