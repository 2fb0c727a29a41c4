-- The log records of the traces between two trace ids, both included, by trace.
select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id
)
from span_log
where span_log.trace_id between $first::uuid and $last::uuid
order by span_log.trace_id, time_ns nulls last, record_index
