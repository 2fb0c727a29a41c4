-- The labels that hold for the decisions of one trace: people's before rules', what
-- settled a dispute before what raters said, the latest first.
select
    turn_index,
    call_index,
    label.label,
    expected_tool
from label
where label.trace_id = $trace_id::uuid
    and annotator_kind in ('HUMAN', 'RULE')
qualify row_number() over (
    partition by turn_index, call_index
    order by
        annotator_kind,
        label.source = 'adjudication' desc,
        coalesce(time_ns, received_time_ns) desc,
        received_time_ns desc,
        record_index desc
) = 1
order by turn_index, call_index
