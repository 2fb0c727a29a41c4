-- Items of a draw that somebody passed over and nobody labelled, by the latest reason.
with passed as (
    select
        position,
        arg_max(reason, time_ns) as reason
    from audit_skip
    where audit_skip.batch_id = $batch_id::uuid
    group by position
),

labelled as (
    select audit_item.position
    from audit_item
    semi join label
        on audit_item.trace_id = label.trace_id
        and audit_item.turn_index = label.turn_index
        and audit_item.call_index is not distinct from label.call_index
        and label.source = 'audit'
        and label.annotator_kind = 'HUMAN'
    where audit_item.batch_id = $batch_id::uuid
)

select
    reason,
    count(*)::integer as n
from passed
anti join labelled using (position)
group by reason
order by n desc, reason
