-- What: how many calls the rollups hold of a period: whether it is worth asking them.
-- Unit: calls. Denominator: none.
-- Excluded: calls of open traces, which are few; calls without a start.
with final as (
    select coalesce(sum(n), 0) as n_calls
    from rollup_call
    where hour >= $before_hour and hour < $end_hour
)

select n_calls
from final
order by n_calls
