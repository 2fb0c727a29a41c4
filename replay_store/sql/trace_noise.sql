-- The noise of one trace, by time.
select
    noise_id,
    record_hash,
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    time_ns,
    profile,
    profile_version,
    seed,
    intensity,
    fact_id,
    entity_ref,
    fact_type,
    kind,
    original_value,
    injected_value,
    confidence_before,
    confidence_after,
    reason,
    gate_u,
    mag_u,
    is_whitelisted,
    snapshot_hash_before,
    snapshot_hash_after,
    file_id,
    record_index,
    received_time_ns
from noise_log
where noise_log.trace_id = $trace_id::uuid
order by time_ns nulls last, noise_id
