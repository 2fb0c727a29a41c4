-- Traces that hold one of the spans $span_ids, or whose id ends in one of $endings, the lower half as the
-- store writes it. One row a trace, spans first, newest first, and how many there are.
with span_named as (
    select
        'span' as kind,
        min(hex_span(span_id)) as value,
        trace_id,
        min(span_id) as span_id
    from span
    where span_id in (select unnest($span_ids::ubigint[]))
    group by trace_id
),
found as (
    select
        kind,
        value,
        trace_id,
        span_id
    from span_named
    union all
    select
        'half' as kind,
        right(hex_trace(trace_id), 16) as value,
        trace_id,
        null::ubigint as span_id
    from trace
    where len(list_filter($endings::varchar[], lambda ending: ends_with(trace_id::varchar, ending))) > 0
        and not exists (select 1 from span_named)
)
select
    found.kind,
    found.value,
    hex_trace(found.trace_id) as trace_id,
    hex_span(found.span_id) as span_id,
    count(*) over () as n
from found
inner join trace using (trace_id)
order by
    trace.start_time_ns desc nulls last,
    found.trace_id
limit $limit
