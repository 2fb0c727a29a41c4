-- Mapped rows: what the dialects say one span claims. Rebuilt by Python from received rows.
-- record_hash names the version of the span that made the claim.

create table span_role (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    role varchar not null,
    dialects varchar[] not null,
    agent_name varchar,
    session_id varchar,
    user_id varchar,
    task_id varchar,
    step_index integer,
    is_error boolean not null,
    error_type varchar,
    error_message varchar
);

create table llm_call (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    provider varchar,
    request_model varchar,
    response_model varchar,
    response_id varchar,
    input_tokens bigint,
    output_tokens bigint,
    cached_input_tokens bigint,
    finish_reason varchar,
    n_requested_calls integer not null,
    is_output_visible boolean not null,
    catalogue_hash ubigint,
    output_preview varchar
);

create table offered_tool (
    catalogue_hash ubigint not null,
    position usmallint not null,
    tool_name varchar not null,
    description varchar using compression zstd,
    input_schema varchar using compression zstd
);

create table call_evidence (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    evidence varchar not null,
    position usmallint not null,
    tool_call_id varchar,
    tool_name varchar,
    namespace varchar,
    is_pseudo boolean not null,
    arguments varchar using compression zstd,
    arguments_hash ubigint,
    is_arguments_valid boolean,
    result varchar using compression zstd,
    status varchar not null,
    error_type varchar,
    error_message varchar,
    error_source varchar,
    attempt integer,
    is_retry_announced boolean not null,
    idempotency_key varchar,
    contract_version varchar,
    caller varchar,
    degradation varchar,
    agent_name varchar,
    step_index integer
);

create table guard_event (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    position usmallint not null,
    time_ns bigint,
    hour integer,
    rule varchar,
    phase varchar,
    decision varchar not null,
    is_hit boolean not null,
    is_synthetic boolean not null,
    tool_name varchar,
    tool_call_id varchar,
    reason varchar,
    evidence varchar not null
);
