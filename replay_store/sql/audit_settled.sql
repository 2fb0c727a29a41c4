-- Items of a draw that as many others have judged in it as it asks for. Who cannot tell settles
-- nothing.
with latest as (
    select
        trace_id,
        turn_index,
        call_index,
        annotator,
        label.label
    from label
    where label.batch_id = $batch_id
        and label.source = 'audit'
        and label.annotator_kind = 'HUMAN'
        and label.annotator <> $annotator
    qualify row_number() over (
        partition by label.trace_id, label.turn_index, label.call_index, label.annotator
        order by coalesce(time_ns, received_time_ns) desc, received_time_ns desc, record_index desc
    ) = 1
)

select audit_item.position
from audit_item
inner join latest
    on audit_item.trace_id = latest.trace_id
    and audit_item.turn_index = latest.turn_index
    and audit_item.call_index is not distinct from latest.call_index
where audit_item.batch_id = $batch_id::uuid
    and audit_item.n_raters is not null
    and latest.label <> 'CANT_TELL'
group by audit_item.position, audit_item.n_raters
having count(*) >= audit_item.n_raters
order by audit_item.position
