-- Messages about incidents, oldest first; about one when $incident_id is given.
select
    incident_id,
    state,
    channel,
    outcome,
    detail,
    n_tries,
    time_ns
from alert_notice
where $incident_id is null or incident_id = $incident_id
order by time_ns
