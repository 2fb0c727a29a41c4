-- Observations that pass the filter, newest first; a NULL parameter lets everything pass.
-- Of each span only its newest version counts.
with newest as (
    select observation.*
    from observation
    inner join span
        on observation.trace_id = span.trace_id
        and observation.span_id = span.span_id
        and observation.record_hash = span.record_hash
    qualify row_number() over (
        partition by observation.trace_id, observation.span_id
        order by
            span.end_time_ns is not null desc,
            span.end_time_ns desc,
            span.received_time_ns desc,
            span.record_index desc
    ) = 1
)

select
    hex_trace(newest.trace_id) as trace_id,
    hex_span(newest.span_id) as span_id,
    newest.record_hash,
    newest.time_ns,
    newest.hour,
    newest.query_time_ns,
    newest.intent,
    newest.primary_entity,
    newest.tool_names,
    newest.rule_version,
    newest.rule_sha256,
    newest.snapshot_hash,
    newest.noisy_snapshot_hash,
    newest.n_outputs,
    newest.n_fragments,
    newest.n_cells,
    newest.n_multi_source_cells,
    newest.n_conflicts,
    newest.n_unknown,
    newest.n_unparsed,
    newest.n_failed,
    newest.n_empty,
    newest.n_degraded,
    newest.mean_confidence,
    newest.signals,
    newest.parse_ms,
    newest.align_ms,
    newest.inject_ms,
    newest.render_ms,
    newest.noise_profile,
    newest.noise_seed,
    newest.noise_intensity,
    newest.n_noise_eligible,
    newest.n_noise_hit
from newest
where ($trace_id is null or newest.trace_id = $trace_id::uuid)
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
            where fact.trace_id = newest.trace_id
                and fact.span_id = newest.span_id
                and fact.record_hash = newest.record_hash
                and fact.fact_type = $fact_type
                and ($raw_value is null or fact.raw = $raw_value)
        )
    )
order by time_ns desc nulls last, newest.trace_id, newest.span_id
limit $limit offset $offset
