-- Every version of one span, the current one first.
select
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    hex_span(parent_span_id) as parent_span_id,
    record_hash,
    name,
    otel_kind,
    start_time_ns,
    end_time_ns,
    duration_ns,
    hour,
    lat_bucket,
    status_code,
    status_message,
    service_name,
    scope_name,
    scope_version,
    resource,
    attributes,
    events,
    links,
    trace_state,
    flags,
    n_dropped,
    file_id,
    record_index,
    received_time_ns
from span
where span.trace_id = $trace_id::uuid
    and span.span_id = $span_id
order by version_order(end_time_ns, received_time_ns, record_index, record_hash) desc
