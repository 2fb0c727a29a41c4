-- d_lineage: the ancestors of every tool, attempt and model span, at most eight generations up, so that
-- neither depth nor a cycle costs more.
insert into d_lineage by name
with recursive climb as (
    select
        trace_id,
        span_id,
        parent_span_id as ancestor_id,
        1 as generation
    from d_span
    where role in ('tool', 'attempt', 'model')
        and parent_span_id is not null
    union all
    select
        climb.trace_id,
        climb.span_id,
        d_span.parent_span_id,
        climb.generation + 1
    from climb
    inner join d_span
        on climb.trace_id = d_span.trace_id
        and climb.ancestor_id = d_span.span_id
    where climb.generation < 8
        and d_span.parent_span_id is not null
)

select
    trace_id,
    span_id,
    ancestor_id,
    min(generation) as generation
from climb
group by trace_id, span_id, ancestor_id
