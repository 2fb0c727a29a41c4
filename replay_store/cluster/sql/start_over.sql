-- All that the store holds waits to be shipped, moved days too. The store keeps its name where it has one.
create or replace temp table known_receiver as
select
    coalesce((select max(receiver) from main.ship_target), $receiver::uuid) as receiver,
    coalesce((select max(last_version) from main.ship_target), 0) as last_version;
delete from main.ship_target;
insert into main.ship_target (receiver, target, last_version, shipped_time_ns, problem)
select
    receiver,
    $target,
    last_version,
    null,
    null
from known_receiver;
delete from main.ship_block;
delete from main.ship_outbox;
insert into main.ship_outbox (
    unit, is_raw, is_whole, first_received_time_ns, last_received_time_ns, store_version
)
select
    trace_id,
    false,
    false,
    coalesce(first_received_time_ns, 0),
    last_received_time_ns,
    (select version from main.store_state)
from trace
order by last_received_time_ns;
