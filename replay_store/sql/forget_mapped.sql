-- The mapped rows of the traces in `batch` go, and the traces are behind until derive has seen them; what
-- was shipped of them does not count any more. The version is bumped after this.
create or replace temp table fresh as
select
    trace_id,
    min(received_time_ns) as first_received_time_ns,
    max(received_time_ns) as last_received_time_ns
from batch
group by trace_id;
delete from span_role where trace_id in (select trace_id from fresh);
delete from llm_call where trace_id in (select trace_id from fresh);
delete from call_evidence where trace_id in (select trace_id from fresh);
delete from trace_key where trace_id in (select trace_id from fresh);
delete from trace_link where trace_id in (select trace_id from fresh);
delete from guard_event where trace_id in (select trace_id from fresh);
delete from observation where trace_id in (select trace_id from fresh);
delete from snapshot where trace_id in (select trace_id from fresh);
delete from fact where trace_id in (select trace_id from fresh);
delete from prompt where trace_id in (select trace_id from fresh);
delete from observed_noise where trace_id in (select trace_id from fresh);
delete from raw_occurrence where trace_id in (select trace_id from fresh);
insert into dirty_trace by name from fresh;
insert into ship_outbox (
    unit, is_raw, is_whole, first_received_time_ns, last_received_time_ns, store_version
)
select
    trace_id,
    false,
    true,
    first_received_time_ns,
    last_received_time_ns,
    (select version + 1 from store_state)
from fresh
where exists (select 1 from ship_target where target <> '');
