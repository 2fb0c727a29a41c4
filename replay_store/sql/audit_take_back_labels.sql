-- Labels of one item that one annotator gave in a queue since a moment, taken out.
delete from label
where label.batch_id = $batch_id
    and label.file_id = $batch_id::uuid
    and label.record_index = $position
    and label.annotator = $annotator
    and label.source = $source
    and label.received_time_ns >= $since_ns
returning label_id
