-- What became of the cases of one run, in its order; one case when $case_id is given.
select
    run_id,
    position,
    case_id,
    case_hash,
    case_kind,
    hex_trace(trace_id) as trace_id,
    tool_names,
    change,
    is_right_before,
    is_right_after,
    before,
    after,
    diff
from replay_result
where replay_result.run_id = $run_id::uuid
    and ($case_id is null or replay_result.case_id = $case_id)
order by position
