-- The labels of a draw that hold: of each annotator the latest of each item; of one annotator when
-- $annotator is given. $source: audit, or adjudication.
select
    label_id,
    record_hash,
    hex_trace(trace_id) as trace_id,
    turn_index,
    call_index,
    label.label,
    sub,
    expected_tool,
    annotator,
    annotator_kind,
    source,
    batch_id,
    inclusion_probability,
    time_ns,
    note,
    file_id,
    record_index,
    received_time_ns
from label
where label.batch_id = $batch_id
    and label.source = $source
    and ($annotator is null or label.annotator = $annotator)
qualify row_number() over (
    partition by label.trace_id, label.turn_index, label.call_index, label.annotator
    order by coalesce(time_ns, received_time_ns) desc, received_time_ns desc, record_index desc
) = 1
order by record_index, annotator
