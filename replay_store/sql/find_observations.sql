-- Observations that pass the filter, newest first; a NULL parameter lets everything pass.
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
    observation.n_noise_hit
from observation
where ($trace_id is null or observation.trace_id = $trace_id::uuid)
    and ($start_time_ns is null or time_ns >= $start_time_ns)
    and ($end_time_ns is null or time_ns < $end_time_ns)
    and ($tool_name is null or list_contains(tool_names, $tool_name))
    and ($intent is null or intent = $intent)
    and case $has
        when 'unknown' then n_unknown > 0
        when 'conflict' then n_conflicts > 0
        when 'unparsed' then n_unparsed > 0
        when 'failed' then n_failed > 0
        when 'empty' then n_empty > 0
        when 'degraded' then n_degraded > 0
        when 'noise' then n_noise_hit > 0
        else true
    end
    and (
        $fact_type is null
        or exists (
            select 1
            from fact
            where fact.trace_id = observation.trace_id
                and fact.span_id = observation.span_id
                and fact.record_hash = observation.record_hash
                and fact.fact_type = $fact_type
                and ($raw_value is null or fact.raw = $raw_value)
        )
    )
order by time_ns desc nulls last, observation.trace_id, observation.span_id
limit $limit offset $offset
