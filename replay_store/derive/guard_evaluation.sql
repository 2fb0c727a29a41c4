-- Guard evaluations of the chosen traces.
insert into guard_evaluation_open by name
select
    own_trace_id as trace_id,
    row_number() over (
        partition by own_trace_id
        order by time_ns nulls last, span_id, rule
    ) - 1 as evaluation_index,
    span_id,
    time_ns,
    hour,
    rule,
    phase,
    decision,
    is_hit,
    is_synthetic,
    tool_name,
    tool_call_id,
    reason,
    evidence
from d_evaluation
