-- Passings-over of one item by one annotator since a moment, taken out.
delete from audit_skip
where audit_skip.batch_id = $batch_id::uuid
    and audit_skip.position = $position
    and audit_skip.annotator = $annotator
    and audit_skip.time_ns >= $since_ns
returning audit_skip.position
