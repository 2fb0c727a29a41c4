-- The log records of one trace, by time.
select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id
)
from span_log
where span_log.trace_id = $trace_id::uuid
order by time_ns nulls last, record_index
