-- The current version of each span of the trace $trace_id, whole, by start; at most $limit.
select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    hex_span(parent_span_id) as parent_span_id
)
from span_current
where span_current.trace_id = $trace_id::uuid
order by
    start_time_ns nulls last,
    record_index,
    span_id
limit $limit
