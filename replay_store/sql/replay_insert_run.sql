-- Keep a run.
insert into replay_run (
    run_id, against, baseline, candidate, chooser, n_cases, n_broken, n_fixed, n_same_right,
    n_same_wrong, n_skipped, created_by, code_version, started_time_ns, finished_time_ns
)
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
from batch
