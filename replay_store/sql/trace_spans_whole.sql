-- The current version of each span of the trace $trace_id, whole, by start; at most $limit.
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
from span_current
where span_current.trace_id = $trace_id::uuid
order by
    start_time_ns nulls last,
    record_index,
    span_id
limit $limit
