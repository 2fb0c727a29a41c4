-- How many observations show each trouble, among those that pass the filter of find_observations
-- (without `has`). One row.
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
    count(*) as n,
    count(*) filter (where n_unknown > 0) as unknown,
    count(*) filter (where n_conflicts > 0) as conflict,
    count(*) filter (where n_unparsed > 0) as unparsed,
    count(*) filter (where n_failed > 0) as failed,
    count(*) filter (where n_empty > 0) as empty,
    count(*) filter (where n_degraded > 0) as degraded,
    count(*) filter (where n_noise_hit > 0) as noise
from newest
where ($trace_id is null or newest.trace_id = $trace_id::uuid)
    and ($start_time_ns is null or time_ns >= $start_time_ns)
    and ($end_time_ns is null or time_ns < $end_time_ns)
    and ($tool_name is null or list_contains(tool_names, $tool_name))
    and ($intent is null or intent = $intent)
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
