-- One thing more that a person did about an incident.
insert into alert_ack (
    incident_id,
    action,
    author,
    note,
    time_ns
)
values (
    $incident_id,
    $action,
    $author,
    $note,
    $time_ns
)
