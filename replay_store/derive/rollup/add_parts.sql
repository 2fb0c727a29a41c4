-- Sealed traces that count only together with others, or by hours that belong together.
insert into rollup_crossing by name
select * exclude (is_crossing)
from d_share
where is_crossing;
insert into task_part by name
select * exclude (is_own, is_part)
from d_task
where is_part;
-- Decisions that somebody labelled are kept apart too.
insert into labelled_decision by name
select
    decision_open.trace_id,
    decision_open.turn_index,
    decision_open.call_index,
    decision_open.decision_id,
    decision_open.tool_name,
    decision_open.contract_version,
    decision_open.model,
    decision_open.agent_name,
    decision_open.is_pseudo,
    decision_open.time_ns,
    trace_open.start_time_ns as trace_start_time_ns
from decision_open
left join trace_open using (trace_id)
semi join rolled using (trace_id)
where decision_open.trace_id in (select label.trace_id from label);
insert into labelled_trace
select distinct label.trace_id
from label
semi join rolled using (trace_id)
anti join labelled_trace using (trace_id);
