-- Every version of one span, the current one first. Its trace arrived between $first_ns and $last_ns.
select * replace (
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    hex_span(parent_span_id) as parent_span_id
)
from span
where span.trace_id = $trace_id::uuid
    and span.span_id = $span_id
    and span.received_time_ns between $first_ns and $last_ns
order by version_order(end_time_ns, received_time_ns, record_index, record_hash) desc
