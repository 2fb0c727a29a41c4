-- Observations by key, with their context; in no particular order but a stable one.
with wanted as (
    select
        unnest($trace_ids::uuid[]) as trace_id,
        unnest($span_ids::ubigint[]) as span_id,
        unnest($record_hashes::ubigint[]) as record_hash
)

select
    observation.* replace (
        hex_trace(observation.trace_id) as trace_id,
        hex_span(observation.span_id) as span_id
    ),
    json_extract_string(span.attributes, $context_path) as context
from wanted
inner join observation
    on wanted.trace_id = observation.trace_id
    and wanted.span_id = observation.span_id
    and wanted.record_hash = observation.record_hash
inner join span
    on wanted.trace_id = span.trace_id
    and wanted.span_id = span.span_id
    and wanted.record_hash = span.record_hash
order by trace_id, span_id
