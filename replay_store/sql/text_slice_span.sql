-- Traces of which a span between two row numbers holds the text that is looked for, in its attributes
-- or events: arguments, results, messages and prompts are there. Rows outside of the time are skipped
-- before their text is read.
with slice as (
    select
        trace_id,
        start_time_ns,
        lower(attributes) as text_1,
        lower(events) as text_2
    from numbered_span
    where numbered_span.row_number between $first_row and $last_row
        and ($start_time_ns is null or numbered_span.start_time_ns >= $start_time_ns)
        and ($end_time_ns is null or numbered_span.start_time_ns < $end_time_ns)
)
select
    hex_trace(slice.trace_id) as trace_id,
    max(slice.start_time_ns) as time_ns
from slice
where /* words */ true
group by slice.trace_id
order by
    time_ns desc nulls last,
    slice.trace_id
