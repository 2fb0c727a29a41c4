-- What: how many trials of each test case succeeded, for cases whose runs carry a reward.
-- Unit: trials. Denominator: n, runs of the case with a reward; a reward of 1 is a success.
-- Excluded: runs without a reward, rewards that name no case.
with scoped as (
    select
        source,
        case_id,
        case when value >= 1 then 1 else 0 end as is_success
    from score
    where
        name = 'reward'
        and value is not null
        and case_id is not null
),

final as (
    select
        source,
        case_id,
        count(*) as n,
        sum(is_success) as n_success
    from scoped
    group by source, case_id
)

select
    source,
    case_id,
    n,
    n_success
from final
order by
    source,
    case_id
