-- Runs over replay cases, newest first; one when $run_id is given.
select
    run_id,
    against,
    baseline,
    candidate,
    chooser,
    n_cases,
    n_broken,
    n_fixed,
    n_same_right,
    n_same_wrong,
    n_skipped,
    created_by,
    code_version,
    started_time_ns,
    finished_time_ns
from replay_run
where $run_id is null
    or replay_run.run_id = $run_id::uuid
order by started_time_ns desc, run_id
limit $limit
