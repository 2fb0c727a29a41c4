-- The evidence of one observation, a row a variant.
select
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    record_hash,
    variant,
    snapshot_hash,
    facts
from snapshot
where snapshot.trace_id = $trace_id::uuid
    and snapshot.span_id = $span_id
    and record_hash = $record_hash
order by variant
