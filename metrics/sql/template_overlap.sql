-- What: how many traces of the scope hold a prompt of the template $left, of $right, and of both.
-- Unit: traces. Denominator: none.
-- Excluded: traces without a start.
with held as (
    select
        p.trace_id,
        max(case when p.template = $left then 1 else 0 end) as is_left,
        max(case when p.template = $right then 1 else 0 end) as is_right
    from prompt as p
    inner join trace as t on t.trace_id = p.trace_id
    where
        p.template in ($left, $right)
        and t.start_time_ns >= $start_time_ns
        and t.start_time_ns < $end_time_ns
    group by p.trace_id
),

final as (
    select
        coalesce(sum(is_left), 0) as n_left,
        coalesce(sum(is_right), 0) as n_right,
        coalesce(sum(is_left * is_right), 0) as n_both
    from held
)

select
    n_left,
    n_right,
    n_both
from final
order by n_both
