-- What came with the data as the truth about it: calls that test cases expect, judgements of traces,
-- and which trace is a run of which case. Never rebuilt, never derived.

create table expectation (
    record_hash ubigint not null,
    trace_id uuid,
    case_id varchar,
    turn integer,
    call_index integer not null,
    tool_name varchar,
    arguments varchar using compression zstd,
    arguments_hash ubigint,
    match varchar not null,
    is_ordered boolean not null,
    is_complete boolean not null,
    source varchar not null,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

create table score (
    record_hash ubigint not null,
    trace_id uuid,
    case_id varchar,
    span_id ubigint,
    step integer,
    name varchar not null,
    value double,
    label varchar,
    explanation varchar using compression zstd,
    annotator varchar,
    annotator_kind varchar not null,
    source varchar not null,
    time_ns bigint,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

create table case_run (
    record_hash ubigint not null,
    trace_id uuid not null,
    case_id varchar not null,
    trial integer,
    source varchar not null,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

-- NULL for files taken in before the reason was kept.
alter table ingest_file add column container_reason varchar;
