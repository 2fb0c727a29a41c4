-- One thing more that a person noted about a trace.
insert into trace_note (
    trace_id,
    state,
    author,
    note,
    time_ns
)
values (
    $trace_id::uuid,
    $state,
    $author,
    $note,
    $time_ns
)
