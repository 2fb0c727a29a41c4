-- What can have gone wrong in a trace, said once; and what people keep of an incident.

-- One row a sign: a failed call, a hit of a guard, a cell in conflict, an answer that was cut. A sign
-- is recovered when the same tool answered well later in its trace. Signs rank; they prove nothing.
create view fault_sign as
select
    failed.trace_id,
    case upper(coalesce(failed.error_type, ''))
        when 'TIMEOUT' then 'timeout'
        when 'INVALID_ARGUMENT' then 'invalid_argument'
        when 'NOT_FOUND' then 'not_found'
        when 'PERMISSION' then 'permission'
        when 'AUTH' then 'permission'
        when 'TOO_LARGE' then 'too_large'
        when 'UNKNOWN_OUTCOME' then 'unknown_outcome'
        else 'call_error'
    end as sign,
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
where upper(coalesce(before.error_type, ''))
    in ('INVALID_ARGUMENT', 'PERMISSION', 'AUTH', 'NOT_FOUND')
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

-- What people noted about a trace, and what they made of it. Only ever added to.
create table trace_note (
    trace_id uuid not null,
    state varchar,
    author varchar not null,
    note varchar,
    time_ns bigint not null
);

-- Searches that people keep by a name. Only ever added to: the newest row of a name holds.
create table saved_view (
    name varchar not null,
    page varchar not null,
    query varchar not null,
    author varchar not null,
    is_removed boolean not null,
    saved_time_ns bigint not null
);
