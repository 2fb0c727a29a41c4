-- Which of the ids $trace_ids are traces of the store, and which span of $span_ids each holds, if one;
-- one row a trace, in the order of the ids. A trace's spans arrived between two known times. $first_hour and $last_hour
-- are those of traces_near.
with wanted as (
    select
        unnest($trace_ids::varchar[])::uuid as trace_id,
        generate_subscripts($trace_ids::varchar[], 1) as place
),
known as (
    select
        near.trace_id,
        wanted.place,
        near.first_received_time_ns,
        near.last_received_time_ns
    from traces_near($first_hour, $last_hour) as near
    inner join wanted using (trace_id)
),
bounds as (
    select
        min(first_received_time_ns) as first_ns,
        max(last_received_time_ns) as last_ns
    from known
),
named as (
    select
        span.trace_id,
        min(span.span_id) as span_id
    from span
    where len($span_ids::ubigint[]) > 0
        and span.received_time_ns between (select first_ns from bounds) and (select last_ns from bounds)
        and span.span_id in (select unnest($span_ids::ubigint[]))
        and span.trace_id in (select trace_id from known)
    group by span.trace_id
)
select
    hex_trace(known.trace_id) as trace_id,
    hex_span(named.span_id) as span_id
from known
left join named using (trace_id)
order by
    known.place,
    known.trace_id
