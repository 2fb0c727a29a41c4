-- Derived rows: cross-span facts, rebuilt by SQL over the traces that changed. Each kind lives in
-- two tables of one shape: *_open (traces that may still change, replaced as a set) and *_sealed
-- (quiet traces, append-only). Readers see the union under the plain name.

create table trace_open (
    trace_id uuid not null,
    task_id varchar not null,
    name varchar,
    service_name varchar,
    agent_name varchar,
    session_id varchar,
    user_id varchar,
    start_time_ns bigint,
    end_time_ns bigint,
    duration_ns bigint,
    hour integer,
    status varchar not null,
    is_run_failed boolean,
    is_finished boolean not null,
    error_type varchar,
    error_message varchar,
    dialects varchar[] not null,
    models varchar[] not null,
    n_spans integer not null,
    n_root_spans integer not null,
    n_orphan_spans integer not null,
    n_error_spans integer not null,
    n_logs integer not null,
    n_noise integer not null,
    n_llm_calls integer not null,
    n_llm_errors integer not null,
    n_tool_calls integer not null,
    n_tool_errors integer not null,
    n_retries integer not null,
    n_steps integer,
    n_guard_evaluations integer not null,
    n_guard_hits integer not null,
    input_tokens bigint,
    output_tokens bigint,
    cached_input_tokens bigint,
    longest_identical_run integer not null,
    last_received_time_ns bigint not null
);

create table decision_open (
    trace_id uuid not null,
    turn_index integer not null,
    call_index integer,
    decision_id uuid not null,
    llm_span_id ubigint,
    time_ns bigint,
    hour integer,
    tool_name varchar not null,
    tool_call_id varchar,
    is_pseudo boolean not null,
    arguments_hash ubigint,
    catalogue_hash ubigint,
    is_offered boolean,
    contract_version varchar,
    model varchar,
    agent_name varchar
);

create table tool_call_open (
    trace_id uuid not null,
    call_index integer not null,
    turn_index integer,
    span_id ubigint,
    llm_span_id ubigint,
    tool_call_id varchar,
    tool_name varchar not null,
    namespace varchar,
    is_pseudo boolean not null,
    is_executed boolean not null,
    agent_name varchar,
    caller varchar,
    contract_version varchar,
    step_index integer,
    arguments_hash ubigint,
    is_arguments_valid boolean,
    arguments_preview varchar,
    result_preview varchar,
    start_time_ns bigint,
    end_time_ns bigint,
    duration_ns bigint,
    hour integer,
    lat_bucket smallint,
    status varchar not null,
    error_type varchar,
    error_message varchar,
    error_source varchar,
    n_attempts integer not null,
    retry_of integer,
    retry_root integer not null,
    retry_kind varchar,
    idempotency_key varchar,
    degradation varchar
);

create table attempt_open (
    trace_id uuid not null,
    call_index integer not null,
    attempt_index integer not null,
    span_id ubigint not null,
    tool_name varchar not null,
    caller varchar,
    start_time_ns bigint,
    end_time_ns bigint,
    duration_ns bigint,
    hour integer,
    lat_bucket smallint,
    status varchar not null,
    error_type varchar
);

create table guard_evaluation_open (
    trace_id uuid not null,
    evaluation_index integer not null,
    span_id ubigint,
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

create table trace_sealed as from trace_open;
create table decision_sealed as from decision_open;
create table tool_call_sealed as from tool_call_open;
create table attempt_sealed as from attempt_open;
create table guard_evaluation_sealed as from guard_evaluation_open;

create view trace as from trace_open union all from trace_sealed;
create view decision as from decision_open union all from decision_sealed;
create view tool_call as from tool_call_open union all from tool_call_sealed;
create view attempt as from attempt_open union all from attempt_sealed;
create view guard_evaluation as
from guard_evaluation_open
union all
from guard_evaluation_sealed;

-- The current version of each span: a finished one before an unfinished one, the later end before
-- the earlier, the newer arrival before the older.
create view span_current as
select *
from span
qualify row_number() over (
    partition by trace_id, span_id
    order by
        end_time_ns is not null desc,
        end_time_ns desc,
        received_time_ns desc,
        record_index desc
) = 1;

-- One row: a number that grows with every commit; the key of every cache.
create table store_state (
    version ubigint not null
);
insert into store_state (version) values (0);
