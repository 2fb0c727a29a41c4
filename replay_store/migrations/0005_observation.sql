-- What the model saw: observations as they were emitted, the raw outputs they were made from, and the
-- dictionaries by which raw outputs are read.

-- Mapped rows (rebuilt from spans).
create table observation (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    time_ns bigint,
    hour integer,
    query_time_ns bigint,
    intent varchar,
    primary_entity varchar,
    tool_names varchar[] not null,
    rule_version varchar,
    rule_sha256 varchar,
    snapshot_hash varchar not null,
    noisy_snapshot_hash varchar,
    n_outputs integer not null,
    n_fragments integer not null,
    n_cells integer not null,
    n_multi_source_cells integer not null,
    n_conflicts integer not null,
    n_unknown integer not null,
    n_unparsed integer not null,
    n_failed integer not null,
    n_empty integer not null,
    n_degraded integer not null,
    mean_confidence double,
    signals varchar[] not null,
    parse_ms double,
    align_ms double,
    inject_ms double,
    render_ms double,
    noise_profile varchar,
    noise_seed bigint,
    noise_intensity double,
    n_noise_eligible integer,
    n_noise_hit integer
);

create table snapshot (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    variant varchar not null,
    snapshot_hash varchar not null,
    facts varchar using compression zstd
);

create table fact (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    variant varchar not null,
    fact_id varchar not null,
    entity_type varchar not null,
    entity_id varchar not null,
    fact_type varchar not null,
    kind varchar not null,
    value varchar,
    confidence double not null,
    confidence_origin varchar not null,
    source varchar not null,
    tool_name varchar not null,
    raw varchar using compression zstd,
    reason varchar,
    observed_time_ns bigint,
    valid_time_ns bigint,
    contract_version varchar,
    parser_version varchar,
    rule_version varchar
);

create table prompt (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    variant varchar not null,
    template varchar not null,
    language varchar not null,
    text varchar using compression zstd,
    n_tokens integer,
    token_counter varchar
);

-- Noise as observations tell of it; a noise log may tell of the same (one noise_id, counted once).
create table observed_noise (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    noise_id varchar not null,
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
    snapshot_hash_after varchar
);

-- The vault: every distinct raw output once, by content, and where it occurred.
create table raw_output (
    raw_id uuid not null,
    tool_name varchar not null,
    contract_version varchar,
    body varchar using compression zstd,
    n_bytes bigint not null
);

create table raw_occurrence (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    position usmallint not null,
    raw_id uuid not null,
    source varchar not null,
    time_ns bigint,
    received_time_text varchar,
    error_class varchar,
    degradation varchar
);

-- Kept by people: dictionaries. A version is immutable and named by its content; which one is in
-- force is the newest pointer. Without a pointer the package's own files (version 0) are.
create table rule_version (
    version varchar not null,
    rule_set varchar not null,
    base_version varchar not null,
    body varchar using compression zstd,
    author varchar not null,
    reason varchar not null,
    created_time_ns bigint not null
);

create table rule_pointer (
    rule_set varchar not null,
    version varchar not null,
    moved_by varchar not null,
    reason varchar not null,
    moved_time_ns bigint not null
);

-- Recorded raw outputs read again by another version: counts only, beside what was emitted.
create table reread (
    trace_id uuid not null,
    span_id ubigint not null,
    time_ns bigint,
    hour integer,
    rule_version varchar not null,
    snapshot_hash varchar not null,
    n_cells integer not null,
    n_multi_source_cells integer not null,
    n_conflicts integer not null,
    n_unknown integer not null,
    n_unparsed integer not null,
    mean_confidence double,
    created_time_ns bigint not null
);

-- An audit draw, frozen once made. Its labels are rows of `label` with the same batch_id.
create table audit_batch (
    batch_id uuid not null,
    name varchar not null,
    start_time_ns bigint not null,
    end_time_ns bigint not null,
    tool_name varchar,
    seed bigint not null,
    n_frame integer not null,
    n_drawn integer not null,
    created_by varchar not null,
    created_time_ns bigint not null
);

create table audit_item (
    batch_id uuid not null,
    position integer not null,
    trace_id uuid not null,
    turn_index integer not null,
    call_index integer,
    inclusion_probability double not null
);
