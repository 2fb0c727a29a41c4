-- Traces of which the text names a part: a span, a call, an idempotency key, the task, the session, or
-- the lower half of the id, as 64-bit tracers tell it. One row a trace, kind and value; the kinds in
-- the order in which they are to be believed, newest first.
with span_named as (
    select distinct
        trace_id,
        span_id
    from span
    where span_id in (select unnest($span_ids::ubigint[]))
),
call_named as (
    select
        trace_id,
        tool_call_id,
        idempotency_key,
        coalesce(span_id, llm_span_id) as span_id
    from tool_call
    where tool_call_id in (select unnest($words::varchar[]))
        or idempotency_key in (select unnest($words::varchar[]))
),
found as (
    select
        1 as rank,
        'span' as kind,
        hex_span(span_id) as value,
        trace_id,
        span_id
    from span_named
    union all
    select
        2 as rank,
        'half' as kind,
        right(hex_trace(trace_id), 16) as value,
        trace_id,
        null::ubigint as span_id
    from trace
    where len($span_ids::ubigint[]) > 0
        and trace_id::uhugeint % 18446744073709551616 in (select unnest($span_ids::ubigint[]))
    union all
    select
        3 as rank,
        'call' as kind,
        tool_call_id as value,
        trace_id,
        min(span_id) as span_id
    from call_named
    where tool_call_id in (select unnest($words::varchar[]))
    group by
        trace_id,
        tool_call_id
    union all
    select
        4 as rank,
        'key' as kind,
        idempotency_key as value,
        trace_id,
        min(span_id) as span_id
    from call_named
    where idempotency_key in (select unnest($words::varchar[]))
    group by
        trace_id,
        idempotency_key
    union all
    select
        5 as rank,
        'task' as kind,
        task_id as value,
        trace_id,
        null::ubigint as span_id
    from trace
    where task_id in (select unnest($words::varchar[]))
    union all
    select
        6 as rank,
        'session' as kind,
        session_id as value,
        trace_id,
        null::ubigint as span_id
    from trace
    where session_id in (select unnest($words::varchar[]))
),
best as (
    select min(rank) as rank
    from found
),
named as (
    select
        found.kind,
        found.trace_id,
        min(found.value) as value,
        min(found.span_id) as span_id
    from found
    inner join best using (rank)
    group by
        found.kind,
        found.trace_id
)
select
    named.kind,
    named.value,
    hex_trace(named.trace_id) as trace_id,
    hex_span(named.span_id) as span_id,
    count(*) over () as n
from named
inner join trace using (trace_id)
order by
    trace.start_time_ns desc nulls last,
    named.trace_id
limit $limit
