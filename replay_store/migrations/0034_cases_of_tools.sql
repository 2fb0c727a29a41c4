-- What is asked of one tool, row by row (0035 counts it, 0036 keeps it in rollups): its calls, attempts and
-- durations, how often guards stopped it, what came after its errors.

create or replace view open_call as
select
    tool_call_open.trace_id,
    tool_call_open.call_index,
    tool_call_open.turn_index,
    tool_call_open.tool_name,
    tool_call_open.caller,
    tool_call_open.is_pseudo,
    tool_call_open.is_executed,
    tool_call_open.status,
    tool_call_open.error_type,
    tool_call_open.arguments_hash,
    tool_call_open.step_index,
    tool_call_open.idempotency_key,
    tool_call_open.degradation,
    tool_call_open.n_attempts,
    tool_call_open.call_index = tool_call_open.retry_root as is_head,
    tool_call_open.duration_ns,
    (coalesce(tool_call_open.start_time_ns, trace_open.start_time_ns) // 3600000000000)::integer as hour,
    case
        when coalesce(tool_call_open.start_time_ns, trace_open.start_time_ns) is null
            then 'no_start_time'
        when tool_call_open.is_pseudo then 'pseudo_tool'
        when tool_call_open.status = 'blocked' then 'blocked'
        when not tool_call_open.is_executed then 'never_executed'
        when tool_call_open.start_time_ns is null then 'no_start_time'
        when tool_call_open.end_time_ns is null then 'unfinished'
        when tool_call_open.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason,
    case
        when tool_call_open.status = 'blocked' then 'blocked'
        when not tool_call_open.is_executed then 'never_executed'
        when tool_call_open.status in ('ok', 'error') then tool_call_open.status
        else 'unknown'
    end as outcome
from tool_call_open
left join trace_open using (trace_id);

create or replace view open_attempt as
select
    attempt_open.trace_id,
    attempt_open.tool_name,
    attempt_open.duration_ns,
    (coalesce(attempt_open.start_time_ns, trace_open.start_time_ns) // 3600000000000)::integer as hour,
    case
        when coalesce(attempt_open.start_time_ns, trace_open.start_time_ns) is null
            then 'no_start_time'
        when tool_call_open.is_pseudo then 'pseudo_tool'
        when attempt_open.status = 'blocked' then 'blocked'
        when attempt_open.start_time_ns is null then 'no_start_time'
        when attempt_open.end_time_ns is null then 'unfinished'
        when attempt_open.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from attempt_open
inner join tool_call_open using (trace_id, call_index)
left join trace_open using (trace_id);

create or replace view open_time as
select
    trace_id,
    hour,
    'call' as counted,
    tool_name,
    duration_ns
from open_call
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'attempt' as counted,
    tool_name,
    duration_ns
from open_attempt
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'model' as counted,
    '' as tool_name,
    duration_ns
from open_model_call
where reason = 'counted';

-- What rates are about, one row a case: a chain, a failed call, an evaluation. 'guard_of_tool' are the
-- evaluations once more, whatever their rule.
create or replace view open_case as
with chains as (
    select
        trace_id,
        hour,
        tool_name,
        n_tries > 1 as is_retried,
        last_status,
        unnest(
            case
                when n_tries > 1 and last_status in ('ok', 'error') then ['retry', 'retry_success']
                else ['retry']
            end
        ) as share
    from open_chain
    where reason = 'counted'
)

select
    trace_id,
    hour,
    share,
    tool_name,
    null::varchar as name,
    case when share = 'retry' then is_retried else last_status = 'ok' end::integer as numerator
from chains
union all
select
    trace_id,
    hour,
    'error' as share,
    tool_name,
    error_type as name,
    0 as numerator
from open_call
where outcome = 'error'
    and not is_pseudo
    and hour is not null
union all
select
    trace_id,
    hour,
    'guard' as share,
    tool_name,
    rule as name,
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'guard_of_tool' as share,
    tool_name,
    null::varchar as name,
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted';

-- What the model did right after a call failed: the first call of the next turn, or none.
create view open_after_error as
with failed as (
    select
        trace_id,
        turn_index,
        call_index,
        tool_name,
        arguments_hash,
        hour,
        upper(coalesce(error_type, '')) as error_type
    from open_call
    where status = 'error'
        and is_executed
        and not is_pseudo
        and turn_index is not null
        and hour is not null
),

next_turn as (
    select
        failed.trace_id,
        failed.call_index,
        min(decision_open.turn_index) as turn_index
    from failed
    inner join decision_open
        on failed.trace_id = decision_open.trace_id
        and failed.turn_index < decision_open.turn_index
    where not decision_open.is_pseudo
    group by failed.trace_id, failed.call_index
),

answered as (
    select
        failed.trace_id,
        failed.hour,
        failed.tool_name,
        failed.error_type,
        count(again.trace_id) as n_calls,
        coalesce(bool_or(again.tool_name = failed.tool_name), false) as is_same_tool,
        coalesce(
            bool_or(
                again.tool_name = failed.tool_name and again.arguments_hash = failed.arguments_hash
            ),
            false
        ) as is_repeat,
        coalesce(bool_or(again.tool_name = failed.tool_name and again.status = 'ok'), false)
            as is_same_tool_ok
    from failed
    inner join next_turn using (trace_id, call_index)
    left join tool_call_open as again
        on next_turn.trace_id = again.trace_id
        and next_turn.turn_index = again.turn_index
        and not again.is_pseudo
    group by failed.trace_id, failed.call_index, failed.hour, failed.tool_name, failed.error_type
)

select
    trace_id,
    hour,
    tool_name,
    error_type,
    unnest(
        case
            when n_calls = 0 then ['none']
            when is_repeat then ['repeated']
            when is_same_tool and is_same_tool_ok then ['corrected', 'corrected_ok']
            when is_same_tool then ['corrected']
            else ['other_tool']
        end
    ) as step
from answered;
