-- The log records that belong to no trace, or to one of which no span is there.
select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id
)
from span_log
where span_log.trace_id is null
    or not exists (
        select 1
        from span
        where span.trace_id = span_log.trace_id
    )
order by span_log.trace_id, time_ns nulls last, record_index
