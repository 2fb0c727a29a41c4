-- Traces that somebody noted something about; $value is not used but to keep the shape.
$value is not null
and trace_id in (
    select trace_note.trace_id
    from trace_note
)
