-- d_count, logs.
insert into d_count by name
select
    trace_id,
    count(*) as n_logs,
    min(time_ns) as first_log_ns,
    min(received_time_ns) as first_received_time_ns,
    max(received_time_ns) as last_received_time_ns
from span_log
semi join chosen using (trace_id)
where received_time_ns between $first_ns and $last_ns
    or received_time_ns between $known_first_ns and $known_last_ns
group by trace_id
