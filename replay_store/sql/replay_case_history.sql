-- What became of one case in each run, newest run first.
select
    replay_run.run_id,
    replay_run.against,
    replay_run.candidate,
    replay_run.started_time_ns,
    replay_result.change,
    replay_result.is_right_after
from replay_result
inner join replay_run on replay_result.run_id = replay_run.run_id
where replay_result.case_id = $case_id
order by replay_run.started_time_ns desc, replay_run.run_id
limit $limit
