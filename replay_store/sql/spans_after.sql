-- Every version of every span of the next traces after $after, by trace id, then as received.
with chosen as (
    select distinct trace_id
    from span
    where $after is null
        or trace_id > $after::uuid
    order by trace_id
    limit $n_traces
)

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
where span.trace_id in (select chosen.trace_id from chosen)
order by span.trace_id, received_time_ns, record_index
