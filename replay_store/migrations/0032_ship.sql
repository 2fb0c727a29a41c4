-- Shipping to a cluster: what has changed since it was shipped. Empty in a store that ships nowhere.

-- Where this store ships to, at most one row. `receiver` names the store there; `last_version` is the
-- greatest that was ever given to anything sent.
create table ship_target (
    receiver uuid not null,
    target varchar not null,
    last_version ubigint not null,
    shipped_time_ns bigint,
    problem varchar
);

-- What waits: traces, and raw outputs that are gone (is_raw). Written in the transaction that derives or
-- removes them. Between the times came what is new; NULL where nothing is. is_whole: what was shipped of
-- it before does not count any more.
create table ship_outbox (
    unit uuid not null,
    is_raw boolean not null,
    is_whole boolean not null,
    first_received_time_ns bigint,
    last_received_time_ns bigint,
    store_version ubigint not null
);

-- Since which version what came with a unit counts, where that was ever said anew.
create table ship_base (
    unit uuid not null,
    base_version ubigint not null
);

-- What was shipped of the other tables, by block.
create table ship_block (
    table_name varchar not null,
    block bigint not null,
    fingerprint ubigint not null
);

-- Traces that wait to be derived or shipped have no age yet: they are not removed before that.
create or replace view trace_age as
select
    trace_id,
    case
        when is_finished then coalesce(end_time_ns, start_time_ns, last_received_time_ns)
        else greatest(coalesce(end_time_ns, start_time_ns, 0), last_received_time_ns)
    end as newest_time_ns
from trace
anti join dirty_trace using (trace_id)
anti join ship_outbox on trace.trace_id = ship_outbox.unit;
