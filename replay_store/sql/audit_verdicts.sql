-- What rules and models say of the decision of one item, by name.
select
    ballot.annotator,
    ballot.label
from audit_item
inner join ballot
    on audit_item.trace_id = ballot.trace_id
    and audit_item.turn_index = ballot.turn_index
    and coalesce(audit_item.call_index, -1) = ballot.call_index
where audit_item.batch_id = $batch_id::uuid
    and audit_item.position = $position
    and ballot.source = 'audit'
    and ballot.annotator_kind <> 'HUMAN'
order by ballot.annotator
