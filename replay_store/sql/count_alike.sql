-- How many traces start in whole hours, or at all, as alike_rolled puts them together.
with told as (
    select
        hour,
        n
    from rollup_alike
    union all
    select
        hour,
        1 as n
    from open_alike
)

select coalesce(sum(n), 0)::bigint as n
from told
where ($start_time_ns is null or hour >= $start_time_ns // 3600000000000)
    and ($end_time_ns is null or hour < $end_time_ns // 3600000000000)
