-- Versions of alerts: the newest of each when $newest, else all of one ($alert_id), oldest first.
select
    alert_id,
    incident_id,
    state,
    severity,
    cause,
    metric,
    subject_kind,
    subject_name,
    tool_name,
    since_time_ns,
    fired_time_ns,
    last_time_ns,
    cleared_time_ns,
    n,
    value,
    unit,
    baseline,
    n_baseline,
    limit_value,
    p_value,
    hex_trace(trace_id) as trace_id,
    deploys,
    recorded_time_ns
from alert
where $alert_id is null or alert_id = $alert_id
qualify not $newest or row_number() over (
    partition by alert_id
    order by recorded_time_ns desc
) = 1
order by
    since_time_ns,
    alert_id,
    recorded_time_ns
