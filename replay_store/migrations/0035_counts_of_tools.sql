-- What is counted of one tool: how its chains were retried, its keys, who called it, what its attempts lack.

-- Retried chains of one trace, placed at their first call, by the error that was first retried.
create view open_retried as
with retried as (
    select distinct
        trace_id,
        retry_root
    from tool_call_open
    where call_index <> retry_root
        or n_attempts > 1
),

call as (
    select
        tool_call_open.*,
        greatest(tool_call_open.n_attempts, 1) as n_tries
    from tool_call_open
    semi join retried using (trace_id, retry_root)
    where tool_call_open.is_executed
        and not tool_call_open.is_pseudo
        and tool_call_open.status <> 'blocked'
),

first_failure as (
    select
        trace_id,
        call_index,
        arg_min(upper(coalesce(error_type, '')), attempt_index) as error_type
    from attempt_open
    semi join call using (trace_id, call_index)
    where status = 'error'
    group by trace_id, call_index
),

chain as (
    select
        call.trace_id,
        call.retry_root,
        max(case when call.call_index = call.retry_root then call.start_time_ns end) as start_time_ns,
        max(case when call.call_index = call.retry_root then call.tool_name end) as tool_name,
        arg_min(
            coalesce(nullif(first_failure.error_type, ''), upper(coalesce(call.error_type, ''))),
            call.call_index
        ) as error_type,
        sum(call.n_tries)::bigint - 1 as n_retries,
        bool_or(call.n_attempts > 1 or coalesce(call.retry_kind = 'explicit', false)) as is_explicit,
        coalesce(
            bool_or(call.n_tries > 1 and is_final_error(first_failure.error_type)), false
        ) as has_futile_attempts,
        count(*) as n_calls,
        count(distinct call.arguments_hash) as n_arguments,
        arg_max(call.status, call.call_index) as last_status,
        max(case when call.n_tries > 1 then call.duration_ns end) as longest_ns
    from call
    left join first_failure using (trace_id, call_index)
    group by call.trace_id, call.retry_root
)

select
    trace_id,
    (start_time_ns // 3600000000000)::integer as hour,
    tool_name,
    error_type,
    n_retries,
    is_explicit,
    last_status,
    has_futile_attempts or (is_final_error(error_type) and n_arguments < n_calls) as is_futile,
    n_retries > 3 or coalesce(longest_ns > 8000000000, false) as is_over_budget
from chain
where n_retries > 0
    and tool_name is not null
    and start_time_ns is not null;

-- Calls with an idempotency key, and steps with one: a step is placed at its first such call.
create view open_key as
with keyed as (
    select
        open_call.trace_id,
        open_call.tool_name,
        open_call.hour,
        open_call.step_index,
        open_call.idempotency_key,
        case
            when length(open_call.idempotency_key) = 32
                then open_call.idempotency_key
                    = left(sha256(concat(trace_open.task_id, ':', open_call.step_index::varchar)), 32)
            else false
        end as is_deterministic
    from open_call
    left join trace_open using (trace_id)
    where open_call.outcome in ('ok', 'error', 'unknown')
        and not open_call.is_pseudo
        and open_call.hour is not null
        and open_call.idempotency_key is not null
)

select
    trace_id,
    hour,
    tool_name,
    unnest(case when is_deterministic then ['with_key', 'deterministic'] else ['with_key'] end) as kind
from keyed
union all
select
    trace_id,
    min(hour) as hour,
    tool_name,
    unnest(
        case when count(distinct idempotency_key) > 1 then ['step', 'step_with_several'] else ['step'] end
    ) as kind
from keyed
where step_index is not null
group by trace_id, tool_name, step_index;

-- What is counted of one tool beside rates and durations. `name` is a caller or an error class.
create view open_tool_count as
with executed as (
    select *
    from open_call
    where outcome in ('ok', 'error', 'unknown')
        and not is_pseudo
        and hour is not null
)

select
    trace_id,
    hour,
    tool_name,
    'attempt' as counted,
    '' as name,
    reason as kind,
    1 as n
from open_attempt
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    tool_name,
    'caller' as counted,
    coalesce(caller, '') as name,
    '' as kind,
    1 as n
from executed
union all
select
    trace_id,
    hour,
    tool_name,
    'degraded' as counted,
    '' as name,
    degradation as kind,
    1 as n
from executed
where degradation is not null
union all
select
    trace_id,
    hour,
    tool_name,
    'key' as counted,
    '' as name,
    kind,
    1 as n
from open_key
union all
select
    trace_id,
    hour,
    tool_name,
    'after_error' as counted,
    error_type as name,
    step as kind,
    1 as n
from open_after_error
union all
select
    trace_id,
    hour,
    tool_name,
    'retried' as counted,
    error_type as name,
    fact.kind,
    fact.n
from open_retried
cross join lateral (
    values
        ('chain', 1),
        ('retry', n_retries),
        ('explicit', is_explicit::integer),
        ('futile', is_futile::integer),
        ('over_budget', is_over_budget::integer),
        ('ok', (last_status = 'ok')::integer),
        ('error', (last_status = 'error')::integer)
) as fact (kind, n)
where fact.n > 0;
