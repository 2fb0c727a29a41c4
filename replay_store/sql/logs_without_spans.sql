-- The log records that belong to no trace, or to one of which no span is there.
select
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    record_hash,
    time_ns,
    observed_time_ns,
    hour,
    severity_number,
    severity_text,
    event_name,
    body,
    attributes,
    service_name,
    scope_name,
    resource,
    file_id,
    record_index,
    received_time_ns
from span_log
where span_log.trace_id is null
    or not exists (
        select 1
        from span
        where span.trace_id = span_log.trace_id
    )
order by span_log.trace_id, time_ns nulls last, record_index
