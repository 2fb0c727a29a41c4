-- One message more about an incident.
insert into alert_notice (
    incident_id,
    state,
    channel,
    outcome,
    detail,
    n_tries,
    time_ns
)
values (
    $incident_id,
    $state,
    $channel,
    $outcome,
    $detail,
    $n_tries,
    $time_ns
)
