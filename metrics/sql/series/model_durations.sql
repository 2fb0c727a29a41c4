-- What: how many model calls of each model took how long, hour by hour.
-- Unit: model calls by bucket of a logarithmic scale (2 % wide). Denominator: none. Model spans inside
--   model spans tell of one call.
-- Excluded: without a real duration, without a start.
with scoped as (
    select
        coalesce(model, '') as name,
        hour,
        lat_bucket as value
    from model_call
    where
        start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and lat_bucket is not null
        and hour is not null
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
