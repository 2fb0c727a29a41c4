-- Rows that people make. Never rebuilt, never derived.

create table label (
    label_id varchar not null,
    record_hash ubigint not null,
    trace_id uuid not null,
    turn_index integer not null,
    call_index integer,
    label varchar not null,
    sub varchar,
    expected_tool varchar,
    annotator varchar not null,
    annotator_kind varchar not null,
    source varchar not null,
    batch_id varchar,
    inclusion_probability double not null,
    time_ns bigint,
    note varchar,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);
