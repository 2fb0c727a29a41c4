-- The derived traces wait to be shipped, where the store ships anywhere.
insert into ship_outbox (
    unit, is_raw, is_whole, first_received_time_ns, last_received_time_ns, store_version
)
select
    trace_id,
    false,
    false,
    first_ns,
    last_ns,
    (select version from store_state)
from chosen
where exists (select 1 from ship_target where target <> '')
