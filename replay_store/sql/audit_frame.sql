-- What a draw can pick from: decisions of the period that are not pseudo, and their traces. A
-- decision that tells no time of its own stands at the start of its trace.
select
    count(*) as n_decisions,
    count(distinct decision.trace_id) as n_traces
from decision
left join trace on decision.trace_id = trace.trace_id
where not decision.is_pseudo
    and coalesce(decision.time_ns, trace.start_time_ns) >= $start_time_ns
    and coalesce(decision.time_ns, trace.start_time_ns) < $end_time_ns
    and ($tool_name is null or decision.tool_name = $tool_name)
