-- What was told as an alert, who took it over, and whom it was sent to. Only ever added to: of
-- several rows of one alert the newest holds, and together they are its history.
create table alert (
    alert_id varchar not null,
    incident_id varchar not null,
    state varchar not null,
    severity varchar not null,
    cause varchar not null,
    metric varchar not null,
    subject_kind varchar,
    subject_name varchar,
    tool_name varchar,
    since_time_ns bigint not null,
    fired_time_ns bigint not null,
    last_time_ns bigint not null,
    cleared_time_ns bigint,
    n bigint not null,
    value double,
    unit varchar not null,
    baseline double,
    n_baseline bigint not null,
    limit_value double,
    p_value double not null,
    trace_id uuid,
    deploys varchar not null,
    recorded_time_ns bigint not null
);

create table alert_ack (
    incident_id varchar not null,
    action varchar not null,
    author varchar not null,
    note varchar,
    time_ns bigint not null
);

create table alert_notice (
    incident_id varchar not null,
    state varchar not null,
    channel varchar not null,
    outcome varchar not null,
    detail varchar,
    n_tries integer not null,
    time_ns bigint not null
);
