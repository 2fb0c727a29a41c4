-- Large stores: what lists of traces ask is kept with each trace, and what calls begin with is compressed.

-- Which sign of a fault the class of a failed call is, and whether no repeat can mend it.
create macro error_sign(error_type) as case upper(coalesce(error_type, ''))
    when 'TIMEOUT' then 'timeout'
    when 'INVALID_ARGUMENT' then 'invalid_argument'
    when 'NOT_FOUND' then 'not_found'
    when 'PERMISSION' then 'permission'
    when 'AUTH' then 'permission'
    when 'TOO_LARGE' then 'too_large'
    when 'UNKNOWN_OUTCOME' then 'unknown_outcome'
    else 'call_error'
end;
create macro is_final_error(error_type) as upper(coalesce(error_type, ''))
in ('INVALID_ARGUMENT', 'PERMISSION', 'AUTH', 'NOT_FOUND');

create or replace view fault_sign as
select
    failed.trace_id,
    error_sign(failed.error_type) as sign,
    failed.tool_name,
    failed.contract_version,
    failed.error_type,
    failed.call_index,
    coalesce(failed.span_id, failed.llm_span_id) as span_id,
    failed.start_time_ns as time_ns,
    coalesce(answered.last_index > failed.call_index, false) as is_recovered,
    1 as n
from tool_call as failed
left join (
    select
        trace_id,
        tool_name,
        max(call_index) as last_index
    from tool_call
    where status = 'ok'
    group by
        trace_id,
        tool_name
) as answered
    on failed.trace_id = answered.trace_id
    and failed.tool_name = answered.tool_name
where failed.status = 'error'
    and not failed.is_pseudo
union all
select
    degraded.trace_id,
    'degraded' as sign,
    degraded.tool_name,
    degraded.contract_version,
    degraded.degradation as error_type,
    degraded.call_index,
    coalesce(degraded.span_id, degraded.llm_span_id) as span_id,
    degraded.start_time_ns as time_ns,
    false as is_recovered,
    1 as n
from tool_call as degraded
where degraded.degradation is not null
    and not degraded.is_pseudo
union all
select
    again.trace_id,
    'repeated_call' as sign,
    again.tool_name,
    again.contract_version,
    null as error_type,
    again.call_index,
    coalesce(again.span_id, again.llm_span_id) as span_id,
    again.start_time_ns as time_ns,
    false as is_recovered,
    1 as n
from tool_call as again
inner join (
    select
        trace_id,
        tool_name,
        arguments_hash,
        min(call_index) as first_index
    from tool_call
    where status = 'ok'
        and not is_pseudo
        and arguments_hash is not null
    group by
        trace_id,
        tool_name,
        arguments_hash
) as answered
    on again.trace_id = answered.trace_id
    and again.tool_name = answered.tool_name
    and again.arguments_hash = answered.arguments_hash
    and again.call_index > answered.first_index
where again.retry_of is null
union all
select
    again.trace_id,
    'futile_retry' as sign,
    again.tool_name,
    again.contract_version,
    before.error_type,
    again.call_index,
    coalesce(again.span_id, again.llm_span_id) as span_id,
    again.start_time_ns as time_ns,
    false as is_recovered,
    1 as n
from tool_call as again
inner join tool_call as before
    on again.trace_id = before.trace_id
    and again.retry_of = before.call_index
    and again.arguments_hash = before.arguments_hash
where is_final_error(before.error_type)
union all
select
    guard_evaluation.trace_id,
    'blocked' as sign,
    guard_evaluation.tool_name,
    null as contract_version,
    guard_evaluation.rule as error_type,
    null as call_index,
    guard_evaluation.span_id,
    guard_evaluation.time_ns,
    false as is_recovered,
    1 as n
from guard_evaluation
where guard_evaluation.is_hit
    and not guard_evaluation.is_synthetic
union all
select
    decision.trace_id,
    'not_offered' as sign,
    decision.tool_name,
    decision.contract_version,
    null as error_type,
    null as call_index,
    decision.llm_span_id as span_id,
    decision.time_ns,
    false as is_recovered,
    1 as n
from decision
where decision.is_offered = false
    and not decision.is_pseudo
union all
select distinct
    llm_call.trace_id,
    'cut_answer' as sign,
    null as tool_name,
    null as contract_version,
    llm_call.finish_reason as error_type,
    null as call_index,
    llm_call.span_id,
    llm_call.received_time_ns as time_ns,
    false as is_recovered,
    1 as n
from llm_call
where lower(llm_call.finish_reason) in ('length', 'max_tokens')
union all
select distinct
    span_role.trace_id,
    'model_error' as sign,
    null as tool_name,
    null as contract_version,
    span_role.error_type,
    null as call_index,
    span_role.span_id,
    span_role.received_time_ns as time_ns,
    false as is_recovered,
    1 as n
from span_role
where span_role.role = 'model'
    and span_role.is_error
union all
select
    observation.trace_id,
    kind.sign,
    observation.tool_names[1] as tool_name,
    null as contract_version,
    null as error_type,
    null as call_index,
    observation.span_id,
    observation.time_ns,
    false as is_recovered,
    case kind.sign
        when 'conflict' then observation.n_conflicts
        when 'unknown_value' then observation.n_unknown
        when 'unparsed' then observation.n_unparsed
        else observation.n_noise_hit
    end as n
from observation
cross join (values ('conflict'), ('unknown_value'), ('unparsed'), ('noise')) as kind (sign)
where (kind.sign = 'conflict' and observation.n_conflicts > 0)
    or (kind.sign = 'unknown_value' and observation.n_unknown > 0)
    or (kind.sign = 'unparsed' and observation.n_unparsed > 0)
    or (kind.sign = 'noise' and observation.n_noise_hit > 0);

-- The names of a trace's tools, the classes of its failed calls, and the signs that it did not recover from:
-- a list of traces, its filter and its counts then read traces alone.
alter table trace_open add column tool_names varchar[];
alter table trace_open add column call_error_types varchar[];
alter table trace_open add column fault_signs varchar[];
alter table trace_sealed add column tool_names varchar[];
alter table trace_sealed add column call_error_types varchar[];
alter table trace_sealed add column fault_signs varchar[];
create or replace view trace as from trace_open union all from trace_sealed;

create temp table shown as
select
    trace_id,
    coalesce(list_sort(list(distinct tool_name) filter (where tool_name is not null)), []) as tool_names,
    coalesce(list_sort(list(distinct error_type) filter (where error_type is not null)), [])
        as call_error_types,
    coalesce(list_sort(list(distinct sign) filter (where sign is not null)), []) as fault_signs
from (
    select
        trace_id,
        tool_name,
        error_type,
        null as sign
    from tool_call
    union all
    select
        trace_id,
        null,
        null,
        sign
    from fault_sign
    where not is_recovered
    union all
    select
        trace_id,
        null,
        null,
        null
    from trace
) as named
group by trace_id;
update trace_open set
    tool_names = shown.tool_names,
    call_error_types = shown.call_error_types,
    fault_signs = shown.fault_signs
from shown
where trace_open.trace_id = shown.trace_id;
update trace_sealed set
    tool_names = shown.tool_names,
    call_error_types = shown.call_error_types,
    fault_signs = shown.fault_signs
from shown
where trace_sealed.trace_id = shown.trace_id;
drop table shown;

-- Traces in which a call, or an attempt, has no start of its own and is placed at theirs: nearly none, and
-- who asks for them reads no others.
create view untimed_call_trace as
select
    trace_id,
    start_time_ns
from trace
where trace_id in (select tool_call.trace_id from tool_call where tool_call.start_time_ns is null);

create view untimed_attempt_trace as
select
    trace_id,
    start_time_ns
from trace
where trace_id in (select attempt.trace_id from attempt where attempt.start_time_ns is null);

-- What a latency is about: calls, attempts and model calls, each with why it does not count ('counted':
-- it does). One without a start of its own is placed at that of its trace; a period is bounded by the own
-- start too, because row groups are skipped by it.
create or replace view timed_call as
select
    tool_call.trace_id,
    tool_call.tool_name,
    tool_call.agent_name,
    tool_call.duration_ns,
    tool_call.start_time_ns,
    coalesce(tool_call.start_time_ns, trace.start_time_ns) as placed_time_ns,
    case
        when coalesce(tool_call.start_time_ns, trace.start_time_ns) is null then 'no_start_time'
        when tool_call.is_pseudo then 'pseudo_tool'
        when tool_call.status = 'blocked' then 'blocked'
        when not tool_call.is_executed then 'never_executed'
        when tool_call.start_time_ns is null then 'no_start_time'
        when tool_call.end_time_ns is null then 'unfinished'
        when tool_call.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from tool_call
left join untimed_call_trace as trace using (trace_id);

create or replace view timed_attempt as
select
    attempt.trace_id,
    attempt.tool_name,
    tool_call.agent_name,
    attempt.duration_ns,
    attempt.start_time_ns,
    coalesce(attempt.start_time_ns, trace.start_time_ns) as placed_time_ns,
    case
        when coalesce(attempt.start_time_ns, trace.start_time_ns) is null then 'no_start_time'
        when tool_call.is_pseudo then 'pseudo_tool'
        when attempt.status = 'blocked' then 'blocked'
        when attempt.start_time_ns is null then 'no_start_time'
        when attempt.end_time_ns is null then 'unfinished'
        when attempt.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from attempt
inner join tool_call using (trace_id, call_index)
left join untimed_attempt_trace as trace using (trace_id);

create or replace view timed_model_call as
select
    model_call.trace_id,
    model_call.span_id,
    trace.agent_name,
    model_call.duration_ns,
    model_call.start_time_ns,
    coalesce(model_call.start_time_ns, trace.start_time_ns) as placed_time_ns,
    case
        when model_call.start_time_ns is null then 'no_start_time'
        when model_call.end_time_ns is null then 'unfinished'
        when model_call.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from model_call
left join trace using (trace_id);

-- The beginnings of a call's texts are long enough to be compressed as such: they took more of the file
-- than everything else that is derived. Only rows that stay are written anew.
create table tool_call_compressed (
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
    arguments_preview varchar using compression zstd,
    result_preview varchar using compression zstd,
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
    degradation varchar,
    head_trace_id uuid
);
insert into tool_call_compressed by name
from tool_call_sealed;
drop table tool_call_sealed;
alter table tool_call_compressed rename to tool_call_sealed;
