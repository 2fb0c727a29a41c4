-- Traces of which a log record between two row numbers holds the text that is looked for, in its body or
-- attributes; a record without a time of its own is placed at when it was observed.
with slice as (
    select
        trace_id,
        coalesce(time_ns, observed_time_ns) as placed_time_ns,
        lower(body) as text_1,
        lower(attributes) as text_2
    from numbered_log
    where numbered_log.row_number between $first_row and $last_row
        and numbered_log.trace_id is not null
        and ($start_time_ns is null or coalesce(time_ns, observed_time_ns) >= $start_time_ns)
        and ($end_time_ns is null or coalesce(time_ns, observed_time_ns) < $end_time_ns)
)
select
    hex_trace(slice.trace_id) as trace_id,
    max(slice.placed_time_ns) as time_ns
from slice
where /* words */ true
group by slice.trace_id
order by
    time_ns desc nulls last,
    slice.trace_id
