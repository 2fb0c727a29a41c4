-- The noise of one trace, by time: what the noise log tells, and what only observations tell. The trace
-- arrived between $first_ns and $last_ns.
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
union all
select
    observed_noise.noise_id,
    observed_noise.record_hash,
    hex_trace(observed_noise.trace_id) as trace_id,
    hex_span(observed_noise.span_id) as span_id,
    observed_noise.time_ns,
    observed_noise.profile,
    observed_noise.profile_version,
    observed_noise.seed,
    observed_noise.intensity,
    observed_noise.fact_id,
    observed_noise.entity_ref,
    observed_noise.fact_type,
    observed_noise.kind,
    observed_noise.original_value,
    observed_noise.injected_value,
    observed_noise.confidence_before,
    observed_noise.confidence_after,
    observed_noise.reason,
    observed_noise.gate_u,
    observed_noise.mag_u,
    observed_noise.is_whitelisted,
    observed_noise.snapshot_hash_before,
    observed_noise.snapshot_hash_after,
    current_span.file_id,
    current_span.record_index,
    current_span.received_time_ns
from observed_noise
inner join trace_span($trace_id::uuid, $first_ns, $last_ns) as current_span
    using (trace_id, span_id, record_hash)
where observed_noise.trace_id = $trace_id::uuid
    and observed_noise.noise_id not in (
        select noise_log.noise_id
        from noise_log
        where noise_log.trace_id = $trace_id::uuid
    )
order by time_ns nulls last, noise_id
