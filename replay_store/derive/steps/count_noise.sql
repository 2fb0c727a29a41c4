-- d_count, noise: as noise logs tell of it and as observations do, each injection once.
insert into d_count by name
with told as (
    select
        trace_id,
        noise_id,
        time_ns,
        received_time_ns
    from noise_log
    semi join chosen using (trace_id)
    where received_time_ns between $first_ns and $last_ns
        or received_time_ns between $known_first_ns and $known_last_ns
    union all
    select
        observed_noise.trace_id,
        observed_noise.noise_id,
        observed_noise.time_ns,
        observed_noise.received_time_ns
    from observed_noise
    inner join d_span
        on observed_noise.trace_id = d_span.own_trace_id
        and observed_noise.span_id = d_span.span_id
        and observed_noise.record_hash = d_span.record_hash
    where observed_noise.received_time_ns between $first_ns and $last_ns
        or observed_noise.received_time_ns between $known_first_ns and $known_last_ns
)

select
    trace_id,
    count(distinct noise_id) as n_noise,
    min(time_ns) as first_noise_ns,
    min(received_time_ns) as first_received_time_ns,
    max(received_time_ns) as last_received_time_ns
from told
group by trace_id
