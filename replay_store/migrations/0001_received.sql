-- Received rows: the truth. Append-only, no keys, no indexes; everything else can be rebuilt from
-- them. Duplicates never get in (anti-join inside the insert, one writer); several versions of one
-- span do, and derive chooses between them.

create table ingest_file (
    file_id uuid not null,
    path varchar not null,
    sha256 varchar,
    n_bytes bigint,
    container varchar,
    started_time_ns bigint not null,
    finished_time_ns bigint not null,
    n_records bigint not null,
    n_stored bigint not null,
    n_merged bigint not null,
    n_rejected bigint not null,
    n_repaired bigint not null,
    message varchar
);

create table reject (
    file_id uuid not null,
    path varchar not null,
    place varchar not null,
    reason varchar not null,
    detail varchar not null,
    raw varchar using compression zstd,
    n_raw_bytes bigint,
    received_time_ns bigint not null
);

create table span (
    trace_id uuid not null,
    span_id ubigint not null,
    parent_span_id ubigint,
    record_hash ubigint not null,
    name varchar not null,
    otel_kind utinyint not null,
    start_time_ns bigint,
    end_time_ns bigint,
    duration_ns bigint,
    hour integer,
    lat_bucket smallint,
    status_code utinyint not null,
    status_message varchar using compression zstd,
    service_name varchar,
    scope_name varchar,
    scope_version varchar,
    resource varchar using compression zstd,
    attributes varchar using compression zstd,
    events varchar using compression zstd,
    links varchar using compression zstd,
    trace_state varchar,
    flags uinteger,
    n_dropped uinteger not null,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

create table span_log (
    trace_id uuid,
    span_id ubigint,
    record_hash ubigint not null,
    time_ns bigint,
    observed_time_ns bigint,
    hour integer,
    severity_number utinyint,
    severity_text varchar,
    event_name varchar,
    body varchar using compression zstd,
    attributes varchar using compression zstd,
    service_name varchar,
    scope_name varchar,
    resource varchar using compression zstd,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

create table noise_log (
    noise_id varchar not null,
    record_hash ubigint not null,
    trace_id uuid,
    span_id ubigint,
    time_ns bigint,
    profile varchar,
    profile_version varchar,
    seed bigint,
    intensity double,
    fact_id varchar,
    entity_ref varchar,
    fact_type varchar,
    kind varchar not null,
    original_value varchar using compression zstd,
    injected_value varchar using compression zstd,
    confidence_before double,
    confidence_after double,
    reason varchar,
    gate_u double,
    mag_u double,
    is_whitelisted boolean,
    snapshot_hash_before varchar,
    snapshot_hash_after varchar,
    file_id uuid not null,
    record_index ubigint not null,
    received_time_ns bigint not null
);

-- Traces whose derived rows are behind; written in the transaction that stores their spans.
create table dirty_trace (
    trace_id uuid not null
);

-- Ids at every interface are lower hex.
create macro hex_trace(id) as replace(id::varchar, '-', '');
create macro hex_span(id) as format('{:016x}', id);
-- The exact quantile; the one spelling metrics use, so that another engine can map it.
create macro exact_quantile(x, q) as quantile_cont(x, q);
