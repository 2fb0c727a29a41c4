-- What: each decision that people judged in audits, with the verdict of the majority.
-- Unit: decisions. Denominator: none. The latest label of each annotator counts.
-- Excluded: no start, pseudo tools, judged by no human, cannot tell, tied annotators, labels whose
--   decision is not in the store.
with final as (
    select
        hex_trace(trace_id) as trace_id,
        cast(decision_id as varchar) as decision_id,
        tool_name,
        contract_version,
        model,
        inclusion_probability,
        is_selection_ok as is_ok,
        placed_time_ns as time_ns
    from judged_decision
    where
        source = 'audit'
        and has_selection = 1
        and ($tool_name is null or tool_name = $tool_name)
        and ($agent_name is null or agent_name = $agent_name)
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
)

select
    trace_id,
    decision_id,
    tool_name,
    contract_version,
    model,
    inclusion_probability,
    is_ok,
    time_ns
from final
order by
    time_ns,
    decision_id
