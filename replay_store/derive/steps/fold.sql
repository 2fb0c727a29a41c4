-- d_model: one row a call. A model span inside another is the same call seen twice, as is one of the
-- same response that overlaps it: the outermost stays and takes over what only the others tell. A
-- span with several answered calls inside is no call but wraps them. So is one with tools inside that
-- it did not ask for, or whose answers it was shown already: it hides how many calls there were
-- (d_count.is_count_hidden). A span that tells nothing of an answer is no call where others do.
create or replace temp table d_fold as
with inside as (
    select
        d_lineage.trace_id,
        d_lineage.span_id,
        d_lineage.ancestor_id,
        d_lineage.generation
    from d_lineage
    inner join d_model as outside
        on d_lineage.trace_id = outside.trace_id
        and d_lineage.ancestor_id = outside.span_id
    left join d_lineage as back
        on d_lineage.trace_id = back.trace_id
        and d_lineage.ancestor_id = back.span_id
        and d_lineage.span_id = back.ancestor_id
    where back.span_id is null
),

between_spans as (
    select
        d_lineage.trace_id,
        d_lineage.span_id,
        min(d_lineage.generation) filter (where d_span.role = 'tool') as tool_generation,
        min(d_lineage.generation) filter (where d_span.role = 'agent') as agent_generation
    from d_lineage
    inner join d_span
        on d_lineage.trace_id = d_span.trace_id
        and d_lineage.ancestor_id = d_span.span_id
    where d_span.role in ('tool', 'agent')
    group by d_lineage.trace_id, d_lineage.span_id
),

nested as (
    select
        inside.*,
        coalesce(between_spans.agent_generation < inside.generation, false) as has_agent_between
    from inside
    inner join d_model
        on inside.trace_id = d_model.trace_id
        and inside.span_id = d_model.span_id
    left join between_spans
        on inside.trace_id = between_spans.trace_id
        and inside.span_id = between_spans.span_id
    where d_model.is_told
        and coalesce(between_spans.tool_generation > inside.generation, true)
),

n_calls as (
    select
        trace_id,
        ancestor_id as span_id,
        sum(case when has_agent_between then 2 else 1 end) as n_inner
    from (
        select
            trace_id,
            span_id,
            arg_min(ancestor_id, generation) as ancestor_id,
            arg_min(has_agent_between, generation) as has_agent_between
        from nested
        group by trace_id, span_id
    ) as nearest
    group by trace_id, ancestor_id
),

tools as (
    select
        inside.trace_id,
        inside.ancestor_id as span_id,
        not bool_and(
            asked.tool_call_id is not null and answered.tool_call_id is null
        ) as is_foreign
    from inside
    inner join d_evidence as run
        on inside.trace_id = run.trace_id
        and inside.span_id = run.span_id
        and run.evidence = 'execution'
    left join (
        select distinct
            trace_id,
            span_id,
            tool_call_id
        from d_evidence
        where evidence = 'request'
    ) as asked
        on inside.trace_id = asked.trace_id
        and inside.ancestor_id = asked.span_id
        and run.tool_call_id = asked.tool_call_id
    left join (
        select distinct
            trace_id,
            span_id,
            tool_call_id
        from d_evidence
        where evidence = 'answer'
    ) as answered
        on inside.trace_id = answered.trace_id
        and inside.ancestor_id = answered.span_id
        and run.tool_call_id = answered.tool_call_id
    left join between_spans
        on inside.trace_id = between_spans.trace_id
        and inside.span_id = between_spans.span_id
    where coalesce(between_spans.tool_generation > inside.generation, true)
    group by inside.trace_id, inside.ancestor_id
),

judged as (
    select
        d_model.trace_id,
        d_model.own_trace_id,
        d_model.span_id,
        d_model.is_told,
        coalesce(tools.is_foreign and not d_model.is_asking, false)
            or coalesce(n_calls.n_inner, 0) > 1 as is_wrapper,
        coalesce(tools.is_foreign and not d_model.is_asking, false)
            and n_calls.n_inner is null as is_hiding
    from d_model
    left join tools using (trace_id, span_id)
    left join n_calls using (trace_id, span_id)
),

outermost as (
    select
        inside.trace_id,
        inside.span_id,
        arg_max(inside.ancestor_id, inside.generation) as head_id
    from nested as inside
    inner join judged
        on inside.trace_id = judged.trace_id
        and inside.ancestor_id = judged.span_id
        and not judged.is_wrapper
    group by inside.trace_id, inside.span_id
),

same as (
    select distinct head_id as trace_id
    from chosen
    where linked_by like '%same%'
),

first_told as (
    select
        trace_id,
        response_id,
        arg_min(span_id, row(start_time_ns, record_index)) as span_id,
        min(start_time_ns) as start_time_ns,
        arg_min(coalesce(end_time_ns, start_time_ns), row(start_time_ns, record_index)) as end_time_ns
    from d_model
    where response_id is not null
        and start_time_ns is not null
    group by trace_id, response_id
    having count(*) > 1
),

again as (
    select
        d_model.trace_id,
        d_model.span_id,
        first_told.span_id as first_id
    from d_model
    inner join first_told
        on d_model.trace_id = first_told.trace_id
        and d_model.response_id = first_told.response_id
        and d_model.start_time_ns <= first_told.end_time_ns
    union
    select
        within.trace_id,
        within.span_id,
        d_model.span_id
    from d_model as within
    semi join same using (trace_id)
    inner join d_model
        on within.trace_id = d_model.trace_id
        and within.own_trace_id <> d_model.own_trace_id
        and within.input_tokens = d_model.input_tokens
        and within.output_tokens = d_model.output_tokens
        and within.start_time_ns >= d_model.start_time_ns
        and within.end_time_ns <= d_model.end_time_ns
    where not within.is_output_visible
        and d_model.is_output_visible
),

headed as (
    select
        judged.trace_id,
        judged.own_trace_id,
        judged.span_id,
        judged.is_told,
        judged.is_wrapper,
        judged.is_hiding,
        coalesce(first_outermost.head_id, again.first_id, outermost.head_id, judged.span_id) as head_id
    from judged
    left join outermost using (trace_id, span_id)
    left join again
        on judged.trace_id = again.trace_id
        and judged.span_id = again.span_id
        and again.first_id <> judged.span_id
        and outermost.head_id is null
    left join outermost as first_outermost
        on again.trace_id = first_outermost.trace_id
        and again.first_id = first_outermost.span_id
)

select
    headed.*,
    bool_or(is_told and not is_wrapper) over (partition by trace_id, head_id) as is_call_told,
    bool_or(is_told and not is_wrapper) over (partition by headed.trace_id)
        or failed.trace_id is not null as is_any_told
from headed
left join (
    select distinct trace_id
    from d_span
    where role = 'model'
        and is_error
) as failed using (trace_id);

insert into d_count by name
select distinct
    own_trace_id as trace_id,
    true as is_count_hidden
from d_fold
where is_hiding;

update d_model set
    agent_name = coalesce(d_model.agent_name, others.agent_name),
    model = coalesce(d_model.model, others.model),
    response_id = coalesce(d_model.response_id, others.response_id),
    input_tokens = coalesce(d_model.input_tokens, others.input_tokens),
    output_tokens = coalesce(d_model.output_tokens, others.output_tokens),
    cached_input_tokens = coalesce(d_model.cached_input_tokens, others.cached_input_tokens),
    catalogue_hash = coalesce(d_model.catalogue_hash, others.catalogue_hash),
    is_output_visible = d_model.is_output_visible or others.is_output_visible
from (
    select
        d_fold.trace_id,
        d_fold.head_id,
        max(d_model.agent_name) as agent_name,
        max(d_model.model) as model,
        max(d_model.response_id) as response_id,
        max(d_model.input_tokens) as input_tokens,
        max(d_model.output_tokens) as output_tokens,
        max(d_model.cached_input_tokens) as cached_input_tokens,
        max(d_model.catalogue_hash) as catalogue_hash,
        bool_or(d_model.is_output_visible) as is_output_visible
    from d_fold
    inner join d_model using (trace_id, span_id)
    where d_fold.head_id <> d_fold.span_id
        and not d_fold.is_wrapper
    group by d_fold.trace_id, d_fold.head_id
) as others
where d_model.trace_id = others.trace_id
    and d_model.span_id = others.head_id;

-- What a call asked for is told by the first of its spans that tells it.
update d_evidence set
    span_id = teller.head_id,
    own_trace_id = teller.own_trace_id
from (
    select
        d_fold.trace_id,
        d_fold.head_id,
        arg_min(asking.span_id, asking.first_no) as span_id,
        any_value(head.own_trace_id) as own_trace_id
    from d_fold
    inner join (
        select
            trace_id,
            span_id,
            min(evidence_no) as first_no
        from d_evidence
        where evidence = 'request'
        group by trace_id, span_id
    ) as asking
        on d_fold.trace_id = asking.trace_id
        and d_fold.span_id = asking.span_id
    inner join d_model as head
        on d_fold.trace_id = head.trace_id
        and d_fold.head_id = head.span_id
    where not d_fold.is_wrapper
    group by d_fold.trace_id, d_fold.head_id
    having not bool_or(d_fold.head_id = d_fold.span_id)
) as teller
where d_evidence.trace_id = teller.trace_id
    and d_evidence.span_id = teller.span_id
    and d_evidence.evidence = 'request';

delete from d_model
using d_fold
where d_model.trace_id = d_fold.trace_id
    and d_model.span_id = d_fold.span_id
    and (
        d_fold.is_wrapper
        or d_fold.head_id <> d_fold.span_id
        or (not d_fold.is_call_told and d_fold.is_any_told)
    );
