-- What: each tool with its calls by outcome and its retries, in the scope and in the period before.
-- Unit: calls. Denominator: n_calls = ok + error + unknown (executed, not blocked); n_heads
--   for the retries (a call and its retries count once).
-- Excluded: pseudo tools, no start. Blocked and never executed calls are counted apart.
with placed as (
    select
        c.head_trace_id,
        c.call_index,
        c.retry_root,
        c.tool_name,
        c.n_attempts,
        c.is_pseudo,
        c.is_executed,
        c.status,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join untimed_call_trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and (
            c.start_time_ns is null
            or (c.start_time_ns >= $before_time_ns and c.start_time_ns < $end_time_ns)
        )
),

repeats as (
    select
        head_trace_id,
        retry_root,
        count(*) as n_calls
    from tool_call
    where
        call_index <> retry_root
        and is_executed
        and not is_pseudo
        and status <> 'blocked'
        -- Of calls that ran side by side a later try may begin before the first: by less than an hour.
        and (start_time_ns is null or start_time_ns >= $before_time_ns - 3600000000000)
    group by head_trace_id, retry_root
),

considered as (
    select
        p.tool_name,
        case when p.placed_time_ns >= $start_time_ns then 1 else 0 end as is_now,
        case when p.call_index = p.retry_root then 1 else 0 end as is_head,
        case when p.n_attempts > 1 or r.n_calls > 0 then 1 else 0 end as is_retried,
        case
            when p.status = 'blocked' then 'blocked'
            when not p.is_executed then 'never_executed'
            when p.status in ('ok', 'error') then p.status
            else 'unknown'
        end as outcome
    from placed as p
    left join repeats as r
        on r.head_trace_id = p.head_trace_id and r.retry_root = p.call_index
    where
        not p.is_pseudo
        and p.placed_time_ns >= $before_time_ns
        and p.placed_time_ns < $end_time_ns
),

scoped as (
    select
        tool_name,
        is_now,
        outcome,
        case when outcome in ('ok', 'error', 'unknown') then is_head else 0 end as is_head,
        is_retried
    from considered
),

final as (
    select
        tool_name,
        is_now,
        sum(case when outcome in ('ok', 'error', 'unknown') then 1 else 0 end) as n_calls,
        sum(case when outcome = 'ok' then 1 else 0 end) as n_ok,
        sum(case when outcome = 'error' then 1 else 0 end) as n_errors,
        sum(case when outcome = 'unknown' then 1 else 0 end) as n_unknown,
        sum(case when outcome = 'blocked' then 1 else 0 end) as n_blocked,
        sum(case when outcome = 'never_executed' then 1 else 0 end) as n_never_executed,
        sum(is_head) as n_heads,
        sum(is_head * is_retried) as n_retried
    from scoped
    group by tool_name, is_now
)

select
    tool_name,
    is_now,
    n_calls,
    n_ok,
    n_errors,
    n_unknown,
    n_blocked,
    n_never_executed,
    n_heads,
    n_retried
from final
order by
    n_calls desc,
    tool_name
