-- Every sealed trace is opened, and the rollups hold nothing: sealing fills them anew.
insert into tool_call_open by name from tool_call_sealed;
delete from tool_call_sealed;
insert into attempt_open by name from attempt_sealed;
delete from attempt_sealed;
insert into decision_open by name from decision_sealed;
delete from decision_sealed;
insert into guard_evaluation_open by name from guard_evaluation_sealed;
delete from guard_evaluation_sealed;
insert into model_call_open by name from model_call_sealed;
delete from model_call_sealed;
insert into call_retry_open by name from call_retry_sealed;
delete from call_retry_sealed;
insert into trace_open by name from trace_sealed;
delete from trace_sealed;
-- Days that an older version moved to files came back without these.
delete from observed_sealed;
delete from observed_open;
insert into observed_open by name
select
    observation_current.trace_id,
    observation_current.span_id,
    coalesce(observation_current.time_ns, trace_open.start_time_ns) as time_ns,
    (coalesce(observation_current.time_ns, trace_open.start_time_ns) // 3600000000000)::integer as hour,
    observation_current.n_cells,
    observation_current.n_multi_source_cells,
    observation_current.n_conflicts,
    observation_current.n_unknown,
    coalesce(scaled(observation_current.n_cells * observation_current.mean_confidence, 1e6), 0)
        as confidence_millionths,
    coalesce(observation_current.n_noise_hit > 0, false) as is_noisy,
    scaled(observation_current.parse_ms, 1e6) as parse_ns
from observation_current
inner join trace_open using (trace_id);
delete from rollup_call;
delete from rollup_count;
delete from rollup_time;
delete from rollup_time_day;
delete from rollup_tool_time;
delete from rollup_tool_count;
delete from rollup_seen;
delete from rollup_alike;
delete from rollup_share;
delete from rollup_share_day;
delete from rollup_crossing;
delete from rollup_task;
delete from task_part;
delete from labelled_decision;
delete from labelled_trace;
