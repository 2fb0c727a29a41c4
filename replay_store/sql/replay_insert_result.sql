-- Keep what became of the cases of a run.
insert into replay_result (
    run_id, position, case_id, case_hash, case_kind, trace_id, tool_names, change, is_right_before,
    is_right_after, before, after, diff
)
select
    run_id,
    position,
    case_id,
    case_hash,
    case_kind,
    trace_id,
    tool_names,
    change,
    is_right_before,
    is_right_after,
    before,
    after,
    diff
from batch
