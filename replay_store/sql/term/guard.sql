-- Traces in which a guard rule of that name hit.
trace_id in (
    select guard_evaluation.trace_id
    from guard_evaluation
    where guard_evaluation.is_hit
        and guard_evaluation.rule ilike $value escape '\'
)
