-- Known traces whose id begins with the digits that span $lo to $hi, newest first, and how many.
select
    hex_trace(trace.trace_id) as trace_id,
    count(*) over () as n
from trace
where trace.trace_id between $lo::uuid and $hi::uuid
order by
    start_time_ns desc nulls last,
    trace.trace_id
limit $limit
