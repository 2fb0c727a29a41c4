-- Traces with an observation that shows it.
trace_id in (
    select observation.trace_id
    from observation
    where case $value
        when 'conflict' then observation.n_conflicts > 0
        when 'unknown' then observation.n_unknown > 0
        when 'unparsed' then observation.n_unparsed > 0
        when 'failed' then observation.n_failed > 0
        when 'empty' then observation.n_empty > 0
        when 'degraded' then observation.n_degraded > 0
        when 'noise' then observation.n_noise_hit > 0
    end
)
