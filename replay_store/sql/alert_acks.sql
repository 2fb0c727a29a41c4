-- What people did about incidents, oldest first; about one when $incident_id is given.
select
    incident_id,
    action,
    author,
    note,
    time_ns
from alert_ack
where $incident_id is null or incident_id = $incident_id
order by time_ns
