-- shipping: what has waited longest, at most $n, of that first what was received first, so that its rows
-- lie close to each other; with when what is new of it arrived (NULL: nothing) and since which version what
-- came with it counts. A unit that is shipped whole counts from $version on.
create or replace temp table shipping as
with first_waiting as (
    select unit
    from main.ship_outbox
    order by
        store_version,
        last_received_time_ns,
        unit
    limit $n
),

waiting as (
    select
        unit,
        bool_or(is_raw) as is_raw,
        bool_or(is_whole) as is_whole,
        min(first_received_time_ns) as first_ns,
        max(last_received_time_ns) as last_ns
    from main.ship_outbox
    where unit in (select first_waiting.unit from first_waiting)
    group by unit
)

select
    waiting.unit,
    waiting.is_raw,
    waiting.is_whole,
    waiting.first_ns,
    waiting.last_ns,
    case
        when waiting.is_whole then $version::ubigint
        else coalesce(ship_base.base_version, 0)
    end as base_version
from waiting
left join main.ship_base
    on waiting.unit = ship_base.unit
