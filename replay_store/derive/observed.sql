-- What the observations of the chosen traces add to figures, as recorded. Of several versions of a span
-- that counts which is an observation and the greatest (see observation_current).
insert into observed_open by name
with seen as (
    select
        trace_id,
        span_id,
        record_hash,
        time_ns,
        n_cells,
        n_multi_source_cells,
        n_conflicts,
        n_unknown,
        mean_confidence,
        n_noise_hit,
        parse_ms
    from observation
    semi join chosen using (trace_id)
),

repeated as (
    select
        trace_id,
        span_id
    from seen
    group by trace_id, span_id
    having count(*) > 1
),

newest as (
    select
        span.trace_id,
        span.span_id,
        arg_max(
            span.record_hash,
            version_order(
                span.end_time_ns, span.received_time_ns, span.record_index, span.record_hash
            )
        ) as record_hash
    from span
    semi join repeated using (trace_id, span_id)
    semi join seen using (trace_id, span_id, record_hash)
    where span.received_time_ns between $first_ns and $last_ns
        or span.received_time_ns between $known_first_ns and $known_last_ns
    group by span.trace_id, span.span_id
)

select
    seen.trace_id,
    seen.span_id,
    coalesce(seen.time_ns, trace_open.start_time_ns) as time_ns,
    (coalesce(seen.time_ns, trace_open.start_time_ns) // 3600000000000)::integer as hour,
    seen.n_cells,
    seen.n_multi_source_cells,
    seen.n_conflicts,
    seen.n_unknown,
    coalesce(scaled(seen.n_cells * seen.mean_confidence, 1e6), 0) as confidence_millionths,
    coalesce(seen.n_noise_hit > 0, false) as is_noisy,
    scaled(seen.parse_ms, 1e6) as parse_ns
from seen
left join newest using (trace_id, span_id)
left join trace_open using (trace_id)
where newest.record_hash is null
    or newest.record_hash = seen.record_hash
