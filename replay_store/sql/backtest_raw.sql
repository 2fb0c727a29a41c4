-- The raw outputs that some observations were given, in order.
with wanted as (
    select
        unnest($trace_ids::uuid[]) as trace_id,
        unnest($span_ids::ubigint[]) as span_id,
        unnest($record_hashes::ubigint[]) as record_hash
)

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
from wanted
inner join raw_occurrence
    on wanted.trace_id = raw_occurrence.trace_id
    and wanted.span_id = raw_occurrence.span_id
    and wanted.record_hash = raw_occurrence.record_hash
inner join raw_output
    on raw_occurrence.raw_id = raw_output.raw_id
order by raw_occurrence.trace_id, raw_occurrence.span_id, raw_occurrence.position
