-- When rows arrived, wherever derive looks for the rows of a trace: it then reads the part of each
-- table that arrived while the trace did, not the whole table.

alter table span_role add column received_time_ns bigint;
alter table llm_call add column received_time_ns bigint;
alter table call_evidence add column received_time_ns bigint;
alter table guard_event add column received_time_ns bigint;
alter table observed_noise add column received_time_ns bigint;
alter table trace_open add column first_received_time_ns bigint;
alter table trace_sealed add column first_received_time_ns bigint;

update span_role set received_time_ns = span.received_time_ns
from span
where span_role.trace_id = span.trace_id
    and span_role.span_id = span.span_id
    and span_role.record_hash = span.record_hash;
update llm_call set received_time_ns = span.received_time_ns
from span
where llm_call.trace_id = span.trace_id
    and llm_call.span_id = span.span_id
    and llm_call.record_hash = span.record_hash;
update call_evidence set received_time_ns = span.received_time_ns
from span
where call_evidence.trace_id = span.trace_id
    and call_evidence.span_id = span.span_id
    and call_evidence.record_hash = span.record_hash;
update guard_event set received_time_ns = span.received_time_ns
from span
where guard_event.trace_id = span.trace_id
    and guard_event.span_id = span.span_id
    and guard_event.record_hash = span.record_hash;
update observed_noise set received_time_ns = span.received_time_ns
from span
where observed_noise.trace_id = span.trace_id
    and observed_noise.span_id = span.span_id
    and observed_noise.record_hash = span.record_hash;

create temp table arrival as
select
    trace_id,
    min(received_time_ns) as first_ns,
    max(received_time_ns) as last_ns
from (
    select trace_id, received_time_ns
    from span
    union all
    select trace_id, received_time_ns
    from span_log
    union all
    select trace_id, received_time_ns
    from noise_log
) as arrived
where trace_id is not null
group by trace_id;
update trace_open set first_received_time_ns = arrival.first_ns
from arrival
where trace_open.trace_id = arrival.trace_id;
update trace_sealed set first_received_time_ns = arrival.first_ns
from arrival
where trace_sealed.trace_id = arrival.trace_id;

-- Which rows made a trace dirty, by their arrival.
create temp table behind as
select distinct
    dirty_trace.trace_id,
    arrival.first_ns,
    arrival.last_ns
from dirty_trace
inner join arrival using (trace_id);
drop table dirty_trace;
create table dirty_trace (
    trace_id uuid not null,
    first_received_time_ns bigint not null,
    last_received_time_ns bigint not null
);
insert into dirty_trace
from behind;
drop table behind;
drop table arrival;

create or replace view trace as from trace_open union all from trace_sealed;

-- Which version of a span counts: the greatest. A finished one before an unfinished one, the later
-- end before the earlier, the newer arrival before the older; the rest only makes it one.
create macro version_order(end_time_ns, received_time_ns, record_index, record_hash)
as row(end_time_ns is not null, end_time_ns, received_time_ns, record_index, record_hash);

create or replace view span_current as
select *
from span
qualify row_number() over (
    partition by trace_id, span_id
    order by version_order(end_time_ns, received_time_ns, record_index, record_hash) desc
) = 1;
