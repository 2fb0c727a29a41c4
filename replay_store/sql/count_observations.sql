-- How many observations pass the filter of find_observations.
select count(*) as n
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
