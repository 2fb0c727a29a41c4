-- Every version of every span of the next traces after $after, by trace id, then as received.
with chosen as (
    select distinct trace_id
    from span
    where $after is null
        or trace_id > $after::uuid
    order by trace_id
    limit $n_traces
)

select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    hex_span(parent_span_id) as parent_span_id
)
from span
where span.trace_id in (select chosen.trace_id from chosen)
order by span.trace_id, received_time_ns, record_index
