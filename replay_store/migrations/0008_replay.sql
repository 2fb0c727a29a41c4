-- Replay: recorded situations with what is right in them, and runs over them. Only ever added to; of
-- several versions of one case the newest counts.
create table replay_case (
    case_id varchar not null,
    record_hash ubigint not null,
    case_kind varchar not null,
    trace_id uuid,
    tool_names varchar[] not null,
    is_retired boolean not null,
    time_ns bigint,
    body varchar using compression zstd,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

create table replay_run (
    run_id uuid not null,
    against varchar not null,
    baseline varchar not null,
    candidate varchar not null,
    chooser varchar,
    n_cases integer not null,
    n_broken integer not null,
    n_fixed integer not null,
    n_same_right integer not null,
    n_same_wrong integer not null,
    n_skipped integer not null,
    created_by varchar not null,
    code_version varchar not null,
    started_time_ns bigint not null,
    finished_time_ns bigint not null
);

create table replay_result (
    run_id uuid not null,
    position integer not null,
    case_id varchar not null,
    case_hash ubigint not null,
    case_kind varchar not null,
    trace_id uuid,
    tool_names varchar[] not null,
    change varchar not null,
    is_right_before boolean,
    is_right_after boolean,
    before varchar using compression zstd,
    after varchar using compression zstd,
    diff varchar using compression zstd
);
