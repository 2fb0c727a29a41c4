-- The audit labels that hold for decisions of a period, from any draw: of each annotator the latest
-- of each decision.
with latest as (
    select label.*
    from label
    where label.source in ('audit', 'adjudication')
    qualify row_number() over (
        partition by
            label.source,
            label.trace_id,
            label.turn_index,
            label.call_index,
            label.annotator
        order by coalesce(time_ns, received_time_ns) desc, received_time_ns desc, record_index desc
    ) = 1
)

select
    latest.label_id,
    latest.record_hash,
    hex_trace(latest.trace_id) as trace_id,
    latest.turn_index,
    latest.call_index,
    latest.label,
    latest.sub,
    latest.expected_tool,
    latest.annotator,
    latest.annotator_kind,
    latest.source,
    latest.batch_id,
    latest.inclusion_probability,
    latest.time_ns,
    latest.note,
    latest.file_id,
    latest.record_index,
    latest.received_time_ns,
    decision.tool_name as chosen_tool
from latest
inner join decision
    on latest.trace_id = decision.trace_id
    and latest.turn_index = decision.turn_index
    and latest.call_index is not distinct from decision.call_index
left join trace on decision.trace_id = trace.trace_id
where coalesce(decision.time_ns, trace.start_time_ns) >= $start_time_ns
    and coalesce(decision.time_ns, trace.start_time_ns) < $end_time_ns
    and ($tool_name is null or decision.tool_name = $tool_name)
order by
    coalesce(decision.time_ns, trace.start_time_ns),
    latest.trace_id,
    latest.turn_index,
    latest.call_index,
    latest.source desc,
    latest.annotator
