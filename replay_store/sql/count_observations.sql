-- How many observations pass the filter of find_observations.
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

select count(*) as n
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
