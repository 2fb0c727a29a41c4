-- Which of the ids $trace_ids came in and wait to be derived, with the newest arrival of each.
select
    hex_trace(trace_id) as trace_id,
    max(last_received_time_ns) as last_received_time_ns
from dirty_trace
where trace_id in (select unnest($trace_ids::varchar[])::uuid)
group by trace_id
order by trace_id
limit 1
