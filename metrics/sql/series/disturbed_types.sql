-- What: which types of facts noise disturbed under which intent, and when first and last.
-- Unit: noise rows. Denominator: none. A noise log and an observation may tell of one row: it
--   counts once.
-- Excluded: rows without a type or a time.
with told as (
    select
        n.noise_id,
        n.trace_id,
        o.intent,
        n.fact_type,
        n.kind,
        coalesce(n.is_whitelisted, false) as is_whitelisted,
        coalesce(n.time_ns, o.time_ns) as time_ns
    from observed_noise as n
    inner join observation as o
        on o.trace_id = n.trace_id and o.span_id = n.span_id and o.record_hash = n.record_hash
    union all
    select
        n.noise_id,
        n.trace_id,
        o.intent,
        n.fact_type,
        n.kind,
        coalesce(n.is_whitelisted, false) as is_whitelisted,
        n.time_ns
    from noise_log as n
    left join observation as o on o.trace_id = n.trace_id and o.span_id = n.span_id
),

scoped as (
    select
        noise_id,
        max(trace_id) as trace_id,
        max(intent) as intent,
        max(fact_type) as fact_type,
        max(case when is_whitelisted then 1 else 0 end) as is_whitelisted,
        max(time_ns) as time_ns
    from told
    where fact_type is not null
    group by noise_id
),

final as (
    select
        intent,
        fact_type,
        is_whitelisted,
        hex_trace(argMax(trace_id, time_ns)) as trace_id,
        count(*) as n,
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns
    from scoped
    where time_ns >= $start_time_ns and time_ns < $end_time_ns
    group by intent, fact_type, is_whitelisted
)

select
    intent,
    fact_type,
    is_whitelisted,
    trace_id,
    n,
    first_time_ns,
    last_time_ns
from final
order by
    fact_type,
    intent nulls first,
    is_whitelisted
