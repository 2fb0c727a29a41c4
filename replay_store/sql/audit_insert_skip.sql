-- One item passed over; nothing is updated.
insert into audit_skip (batch_id, position, annotator, reason, time_ns)
values ($batch_id, $position, $annotator, $reason, $time_ns)
