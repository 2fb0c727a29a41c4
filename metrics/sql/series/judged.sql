-- What: each decision that people judged in audits, with the verdict of the majority.
-- Unit: decisions. Denominator: none. The latest label of each annotator counts.
-- Excluded: no start, pseudo tools, judged by no human, cannot tell, tied annotators, labels whose
--   decision is not in the store.
with scoped as (
    select
        d.trace_id,
        d.decision_id,
        d.tool_name,
        d.contract_version,
        d.model,
        v.inclusion_probability,
        v.n_votes,
        v.n_selection_ok as n_ok,
        coalesce(d.time_ns, t.start_time_ns) as time_ns
    from vote as v
    inner join decision as d
        on
            d.trace_id = v.trace_id
            and d.turn_index = v.turn_index
            and coalesce(d.call_index, -1) = v.call_index
    left join trace as t on t.trace_id = d.trace_id
    where
        v.source = 'audit'
        and not d.is_pseudo
        and 2 * v.n_selection_ok <> v.n_votes
        and ($tool_name is null or d.tool_name = $tool_name)
        and ($agent_name is null or d.agent_name = $agent_name)
),

final as (
    select
        hex_trace(trace_id) as trace_id,
        cast(decision_id as varchar) as decision_id,
        tool_name,
        contract_version,
        model,
        inclusion_probability,
        case when 2 * n_ok > n_votes then 1 else 0 end as is_ok,
        time_ns
    from scoped
    where time_ns >= $start_time_ns and time_ns < $end_time_ns
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
