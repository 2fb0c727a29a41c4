-- The raw outputs that one observation was given, in order.
select
    hex_trace(raw_occurrence.trace_id) as trace_id,
    hex_span(raw_occurrence.span_id) as span_id,
    raw_occurrence.record_hash,
    raw_occurrence.position,
    hex_trace(raw_occurrence.raw_id) as raw_id,
    raw_occurrence.source,
    raw_occurrence.time_ns,
    raw_occurrence.received_time_text,
    raw_occurrence.error_class,
    raw_occurrence.degradation,
    raw_output.tool_name,
    raw_output.contract_version,
    raw_output.body,
    raw_output.n_bytes
from raw_occurrence
inner join raw_output
    on raw_occurrence.raw_id = raw_output.raw_id
where raw_occurrence.trace_id = $trace_id::uuid
    and raw_occurrence.span_id = $span_id
    and raw_occurrence.record_hash = $record_hash
order by raw_occurrence.position
