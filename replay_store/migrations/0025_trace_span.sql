-- The spans of one trace, of each the version that counts, read only where the trace arrived: the view
-- span_current cannot be told so, because a bound on arrivals is none on whole spans.
create macro trace_span(of_trace, first_ns, last_ns) as table
select *
from span
where span.trace_id = of_trace
    and span.received_time_ns between first_ns and last_ns
qualify row_number() over (
    partition by span_id
    order by version_order(end_time_ns, received_time_ns, record_index, record_hash) desc
) = 1;
