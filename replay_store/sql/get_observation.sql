-- One observation: its newest version, a finished span before an unfinished one.
select
    hex_trace(observation.trace_id) as trace_id,
    hex_span(observation.span_id) as span_id,
    observation.record_hash,
    observation.time_ns,
    observation.hour,
    observation.query_time_ns,
    observation.intent,
    observation.primary_entity,
    observation.tool_names,
    observation.rule_version,
    observation.rule_sha256,
    observation.snapshot_hash,
    observation.noisy_snapshot_hash,
    observation.n_outputs,
    observation.n_fragments,
    observation.n_cells,
    observation.n_multi_source_cells,
    observation.n_conflicts,
    observation.n_unknown,
    observation.n_unparsed,
    observation.n_failed,
    observation.n_empty,
    observation.n_degraded,
    observation.mean_confidence,
    observation.signals,
    observation.parse_ms,
    observation.align_ms,
    observation.inject_ms,
    observation.render_ms,
    observation.noise_profile,
    observation.noise_seed,
    observation.noise_intensity,
    observation.n_noise_eligible,
    observation.n_noise_hit,
    span.attributes,
    span.events
from observation
inner join span
    on observation.trace_id = span.trace_id
    and observation.span_id = span.span_id
    and observation.record_hash = span.record_hash
where observation.trace_id = $trace_id::uuid
    and observation.span_id = $span_id
order by
    span.end_time_ns is not null desc,
    span.end_time_ns desc,
    span.received_time_ns desc,
    span.record_index desc
limit 1
