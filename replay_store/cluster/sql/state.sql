-- Where the store ships to, and what waits; no row where it ships nowhere.
select
    receiver,
    target,
    last_version,
    (select count(distinct unit) from ship_outbox) as n_waiting,
    (select min(first_received_time_ns) from ship_outbox) as oldest_waiting_ns,
    shipped_time_ns,
    problem
from ship_target
where target <> ''
