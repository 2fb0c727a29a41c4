-- Traces without a root are linked into tasks; model messages may come as log records.

create table trace_key (
    trace_id uuid not null,
    span_id ubigint not null,
    record_hash ubigint not null,
    kind varchar not null,
    key_hash ubigint not null,
    is_origin boolean not null,
    other_trace_id uuid,
    time_ns bigint,
    end_time_ns bigint,
    received_time_ns bigint not null
);

create table trace_link (
    trace_id uuid not null,
    head_id uuid not null,
    linked_by varchar not null
);

alter table call_evidence add column is_from_log boolean;

alter table trace_open add column linked_by varchar;
alter table trace_sealed add column linked_by varchar;
alter table trace_open alter column n_llm_calls drop not null;
alter table trace_sealed alter column n_llm_calls drop not null;
alter table trace_open alter column n_tool_calls drop not null;
alter table trace_sealed alter column n_tool_calls drop not null;
alter table trace_open alter column n_tool_errors drop not null;
alter table trace_sealed alter column n_tool_errors drop not null;
alter table trace_open alter column n_retries drop not null;
alter table trace_sealed alter column n_retries drop not null;
alter table trace_open alter column longest_identical_run drop not null;
alter table trace_sealed alter column longest_identical_run drop not null;

alter table tool_call_open add column head_trace_id uuid;
alter table tool_call_sealed add column head_trace_id uuid;
update tool_call_open set head_trace_id = trace_id;
update tool_call_sealed set head_trace_id = trace_id;

create or replace view trace as from trace_open union all from trace_sealed;
create or replace view tool_call as from tool_call_open union all from tool_call_sealed;
