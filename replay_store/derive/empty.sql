-- The temporary tables of the steps that not every chunk needs, empty.
create or replace temp table d_lineage (
    trace_id uuid,
    span_id ubigint,
    ancestor_id ubigint,
    generation integer
);
create or replace temp table d_inner (
    trace_id uuid,
    span_id ubigint,
    outer_id ubigint
);
create or replace temp table d_try (
    try_no bigint,
    execution_no bigint
);
create or replace temp table d_retry (
    trace_id uuid,
    call_index bigint,
    retry_of bigint,
    retry_root bigint,
    retry_kind varchar
);
create or replace temp table d_count (
    trace_id uuid,
    n_tool_calls bigint,
    n_tool_errors bigint,
    n_retries bigint,
    is_outcome_hidden boolean,
    is_count_hidden boolean,
    is_left_open boolean,
    longest_identical_run bigint,
    are_repeats_hidden boolean,
    n_evaluations bigint,
    n_hits bigint,
    n_logs bigint,
    n_noise bigint,
    first_log_ns bigint,
    first_noise_ns bigint,
    first_received_time_ns bigint,
    last_received_time_ns bigint
);
