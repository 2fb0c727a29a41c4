-- What: the judgements that came with the data, by the container they came in and their name.
-- Unit: the source's own. Denominator: n_values, scores that hold a number.
-- Excluded: nothing; labels without a number count in n.
with scoped as (
    select
        source,
        name,
        value
    from score
),

final as (
    select
        source,
        name,
        count(*) as n,
        count(value) as n_values,
        sum(value) as total
    from scoped
    group by source, name
)

select
    source,
    name,
    n,
    n_values,
    total
from final
order by
    source,
    name
