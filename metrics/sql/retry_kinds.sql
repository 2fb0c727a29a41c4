-- What: retried chains by tool and by the error that was first retried: how many tries, whether the
--   dialect says so, whether they could help, whether they kept their budget, how they ended.
-- Unit: chains (a first call and the calls that try it again). Denominator: n_chains.
-- Excluded: pseudo tools, blocked, never executed, no start; chains that were not retried.
-- A chain is placed at its first call; of calls that ran side by side a later try may begin before it, by
-- less than an hour.
-- Over budget: more than 3 retries, or a call of several attempts that took longer than 8 s.
with retried as (
    select distinct
        trace_id,
        retry_root
    from tool_call
    where
        (call_index <> retry_root or n_attempts > 1)
        and ($agent_name is null or agent_name = $agent_name)
        and (start_time_ns is null or start_time_ns >= $start_time_ns - 3600000000000)
),

call as (
    select
        trace_id,
        retry_root,
        call_index,
        tool_name,
        status,
        upper(coalesce(error_type, '')) as error_type,
        arguments_hash,
        retry_kind,
        start_time_ns,
        duration_ns,
        case when n_attempts > 1 then n_attempts else 1 end as n_tries,
        case when n_attempts > 1 or retry_kind = 'explicit' then 1 else 0 end as is_explicit
    from tool_call
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and ($agent_name is null or agent_name = $agent_name)
        and (start_time_ns is null or start_time_ns >= $start_time_ns - 3600000000000)
        and (trace_id, retry_root) in (select trace_id, retry_root from retried)
),

first_failure as (
    select
        trace_id,
        call_index,
        argMin(upper(coalesce(error_type, '')), attempt_index) as error_type
    from attempt
    where
        status = 'error'
        and (trace_id, call_index) in (select trace_id, call_index from call)
    group by trace_id, call_index
),

chain as (
    select
        c.trace_id,
        c.retry_root,
        min(case when c.call_index = c.retry_root then c.tool_name end) as tool_name,
        argMin(
            case when coalesce(f.error_type, '') <> '' then f.error_type else c.error_type end,
            c.call_index
        ) as error_type,
        sum(c.n_tries) - 1 as n_retries,
        max(c.is_explicit) as is_explicit,
        max(
            case
                when
                    c.n_tries > 1
                    and f.error_type in ('INVALID_ARGUMENT', 'PERMISSION', 'NOT_FOUND', 'AUTH')
                    then 1
                else 0
            end
        ) as has_futile_attempts,
        count(*) as n_calls,
        count(distinct c.arguments_hash) as n_arguments,
        argMax(c.status, c.call_index) as last_status,
        min(case when c.call_index = c.retry_root then c.start_time_ns end) as start_time_ns,
        max(case when c.n_tries > 1 then c.duration_ns end) as longest_ns
    from call as c
    left join first_failure as f on f.trace_id = c.trace_id and f.call_index = c.call_index
    group by c.trace_id, c.retry_root
),

scoped as (
    select
        tool_name,
        error_type,
        n_retries,
        is_explicit,
        last_status,
        case
            when has_futile_attempts = 1 then 1
            when
                error_type in ('INVALID_ARGUMENT', 'PERMISSION', 'NOT_FOUND', 'AUTH')
                and n_arguments < n_calls
                then 1
            else 0
        end as is_futile,
        case
            when n_retries > 3 or longest_ns > 8000000000 then 1
            else 0
        end as is_over_budget
    from chain
    where
        n_retries > 0
        and tool_name is not null
        and start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and ($tool_name is null or tool_name = $tool_name)
),

final as (
    select
        tool_name,
        error_type,
        count(*) as n_chains,
        sum(n_retries) as n_retries,
        sum(is_explicit) as n_explicit,
        sum(is_futile) as n_futile,
        sum(is_over_budget) as n_over_budget,
        sum(case when last_status = 'ok' then 1 else 0 end) as n_ok,
        sum(case when last_status = 'error' then 1 else 0 end) as n_failed
    from scoped
    group by tool_name, error_type
)

select
    tool_name,
    error_type,
    n_chains,
    n_retries,
    n_explicit,
    n_futile,
    n_over_budget,
    n_ok,
    n_failed
from final
order by
    n_chains desc,
    tool_name,
    error_type
