-- changed: the next changed traces in order of arrival, so that the rows of one chunk lie close to each
-- other in every table.
create or replace temp table changed as
select
    trace_id,
    min(first_received_time_ns) as first_ns,
    max(last_received_time_ns) as last_ns
from dirty_trace
group by trace_id
order by first_ns, trace_id
limit $chunk
