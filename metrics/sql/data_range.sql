-- What: the first and the last start of anything the metrics count.
-- Unit: nanoseconds since the epoch. Denominator: none.
-- Excluded: rows without a start; NULL when there are no others.
-- Found from the /* extremes */ of each table: ordered by time and cut to one row, so that what lies
-- between them is not read.
with final as (
    select
        (
            select time_ns
            from counted_time
            where time_ns is not null
            order by time_ns
            limit 1
        ) as first_time_ns,
        (
            select time_ns
            from counted_time
            where time_ns is not null
            order by time_ns desc
            limit 1
        ) as last_time_ns
)

select
    first_time_ns,
    last_time_ns
from final
order by first_time_ns
