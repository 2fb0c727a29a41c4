-- What trying again made of the calls of the chosen traces: of the first call of a chain how many tries
-- there were and how the last one ended (a blocked call is no try), and of every call the tries with
-- the same arguments after an error that no repeat mends (S3 3.3).
insert into call_retry_open by name
with call as (
    select
        trace_id,
        head_trace_id,
        call_index,
        retry_root,
        retry_of,
        status,
        error_type,
        arguments_hash,
        greatest(n_attempts, 1) as n_tries,
        n_attempts > 1 or coalesce(retry_kind = 'explicit', false) as is_explicit,
        n_attempts > 1 as has_attempts,
        is_executed and not is_pseudo and status <> 'blocked' as is_run
    from tool_call_open
    semi join chosen using (trace_id)
),

repeats as (
    select
        head_trace_id,
        retry_root,
        sum(n_tries) as n_tries,
        bool_or(is_explicit) as is_explicit,
        arg_max(status, call_index) as last_status
    from call
    where call_index <> retry_root
        and is_run
    group by head_trace_id, retry_root
),

chain as (
    select
        call.trace_id,
        call.call_index,
        call.n_tries + repeats.n_tries as n_tries,
        call.has_attempts or repeats.is_explicit as is_explicit,
        repeats.last_status
    from call
    inner join repeats
        on call.head_trace_id = repeats.head_trace_id
        and call.call_index = repeats.retry_root
),

useless as (
    select
        call.trace_id,
        call.call_index
    from call
    inner join call as failed
        on call.head_trace_id = failed.head_trace_id
        and call.retry_of = failed.call_index
    where call.is_run
        and call.arguments_hash = failed.arguments_hash
        and upper(failed.error_type) in ('INVALID_ARGUMENT', 'PERMISSION', 'NOT_FOUND', 'AUTH')
    union all
    select
        call.trace_id,
        call.call_index
    from call
    inner join attempt_open as failed using (trace_id, call_index)
    inner join attempt_open as again
        on failed.trace_id = again.trace_id
        and failed.call_index = again.call_index
        and failed.attempt_index + 1 = again.attempt_index
    where call.is_run
        and upper(failed.error_type) in ('INVALID_ARGUMENT', 'PERMISSION', 'NOT_FOUND', 'AUTH')
),

futile as (
    select
        trace_id,
        call_index,
        count(*) as n_futile
    from useless
    group by trace_id, call_index
)

select
    trace_id,
    call_index,
    chain.n_tries,
    chain.is_explicit,
    chain.last_status,
    coalesce(futile.n_futile, 0) as n_futile
from chain
full join futile using (trace_id, call_index)
