-- The current version of each span of the trace $trace_id, whole, by start; at most $limit. The trace
-- arrived between $first_ns and $last_ns.
select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    hex_span(parent_span_id) as parent_span_id
)
from trace_span($trace_id::uuid, $first_ns, $last_ns)
order by
    start_time_ns nulls last,
    record_index,
    span_id
limit $limit
