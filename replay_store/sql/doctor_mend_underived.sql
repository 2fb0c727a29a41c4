-- What is derived of the wrong traces goes, from the open tables, where all rows are after the mend of
-- the rollups; those with spans wait to be derived.
delete from tool_call_open where trace_id in (select trace_id from wrong);
delete from attempt_open where trace_id in (select trace_id from wrong);
delete from decision_open where trace_id in (select trace_id from wrong);
delete from guard_evaluation_open where trace_id in (select trace_id from wrong);
delete from model_call_open where trace_id in (select trace_id from wrong);
delete from call_retry_open where trace_id in (select trace_id from wrong);
delete from observed_open where trace_id in (select trace_id from wrong);
delete from trace_open where trace_id in (select trace_id from wrong);
insert into dirty_trace (trace_id, first_received_time_ns, last_received_time_ns)
select
    trace_id,
    min(received_time_ns),
    max(received_time_ns)
from span
where trace_id in (select trace_id from wrong)
group by trace_id;
