-- Where the store ships anywhere: the removed traces, and the raw outputs that no trace holds any more,
-- are to go there too.
insert into main.ship_outbox (
    unit, is_raw, is_whole, first_received_time_ns, last_received_time_ns, store_version
)
select
    gone.unit,
    gone.is_raw,
    true,
    null,
    null,
    (select version from main.store_state)
from (
    select
        trace_id as unit,
        false as is_raw
    from retired
    union all
    select
        raw_id as unit,
        true as is_raw
    from retired_raw
    where raw_id not in (select raw_occurrence.raw_id from raw_occurrence)
) as gone
where exists (select 1 from main.ship_target where target <> '');
