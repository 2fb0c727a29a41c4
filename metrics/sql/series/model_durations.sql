-- What: how many model calls of each model took how long, hour by hour.
-- Unit: model calls by bucket of a logarithmic scale (2 % wide). Denominator: none. Versions of one
--   span are one call; of model spans inside model spans the outermost counts.
-- Excluded: without a real duration, without a start.
with model_call as (
    select
        l.trace_id,
        l.span_id,
        max(s.parent_span_id) as parent_span_id,
        max(coalesce(l.response_model, l.request_model)) as model,
        max(s.hour) as hour,
        max(s.lat_bucket) as lat_bucket
    from llm_call as l
    inner join span as s
        on s.trace_id = l.trace_id and s.span_id = l.span_id and s.record_hash = l.record_hash
    inner join span_role as r
        on r.trace_id = l.trace_id and r.span_id = l.span_id and r.record_hash = l.record_hash
    where
        r.role = 'model'
        and s.start_time_ns >= $start_time_ns
        and s.start_time_ns < $end_time_ns
    group by l.trace_id, l.span_id
),

scoped as (
    select
        coalesce(m.model, '') as name,
        m.hour,
        m.lat_bucket as value
    from model_call as m
    left join model_call as p
        on p.trace_id = m.trace_id and p.span_id = m.parent_span_id
    where
        p.span_id is null
        and m.lat_bucket is not null
        and m.hour is not null
),

final as (
    select
        name,
        hour,
        value,
        count(*) as n
    from scoped
    group by name, hour, value
)

select
    name,
    hour,
    value,
    n
from final
order by
    name,
    hour,
    value
