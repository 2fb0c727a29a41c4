-- What: retried calls and how they ended, for the scope and the period before, each in all and by
--   the tool of the head, whole and for each time bucket. A chain is a first call (its head)
--   and the calls that try it again; it is retried when it holds more than one call or one of its
--   calls took more than one attempt, and it succeeded when its last call ended ok.
-- Unit: chains. Denominator: n, chains whose head was executed (rate); retried chains with a known
--   outcome (success). A chain belongs to the bucket of its head.
-- Excluded and counted, by the head: no start, pseudo tools, blocked, never executed; for success
--   also unknown outcomes. Blocked repeats are no retries.
-- Sums over traces are the moments of the clustered interval: yy = sum of y * y, and so on.
with head as (
    select
        c.trace_id,
        c.head_trace_id,
        c.call_index,
        c.tool_name,
        c.is_pseudo,
        c.is_executed,
        c.status,
        case when c.n_attempts > 1 then c.n_attempts else 1 end as n_tries,
        case when c.n_attempts > 1 then 1 else 0 end as is_explicit,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join untimed_call_trace as t on t.trace_id = c.trace_id
    where
        c.call_index = c.retry_root
        and ($tool_name is null or c.tool_name = $tool_name)
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
        sum(case when n_attempts > 1 then n_attempts else 1 end) as n_tries,
        max(case when n_attempts > 1 or retry_kind = 'explicit' then 1 else 0 end) as is_explicit,
        argMax(status, call_index) as last_status
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

chain as (
    select
        h.trace_id,
        h.tool_name,
        h.placed_time_ns,
        h.n_tries + coalesce(r.n_tries, 0) as n_tries,
        case when h.is_explicit = 1 or r.is_explicit = 1 then 1 else 0 end as is_explicit,
        coalesce(r.last_status, h.status) as last_status,
        case
            when h.placed_time_ns is null then 'no_start_time'
            when h.is_pseudo then 'pseudo_tool'
            when h.status = 'blocked' then 'blocked'
            when not h.is_executed then 'never_executed'
            else 'counted'
        end as reason
    from head as h
    left join repeats as r
        on r.head_trace_id = h.head_trace_id and r.retry_root = h.call_index
    where
        (h.placed_time_ns >= $before_time_ns and h.placed_time_ns < $end_time_ns)
        or h.placed_time_ns is null
),

scoped as (
    select
        trace_id,
        tool_name,
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        reason,
        n_tries - 1 as n_retries,
        case when reason = 'counted' then 1 else 0 end as is_counted,
        case when reason = 'counted' and n_tries > 1 then 1 else 0 end as is_retried,
        is_explicit,
        last_status
    from chain
),

judged as (
    select
        trace_id,
        tool_name,
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        reason,
        is_counted,
        is_retried,
        is_retried * n_retries as n_retries,
        is_retried * is_explicit as is_explicit,
        case when is_retried = 1 and last_status in ('ok', 'error') then 1 else 0 end as is_settled,
        case when is_retried = 1 and last_status = 'ok' then 1 else 0 end as is_success
    from scoped
),

by_trace as (
    select
        is_now,
        tool_name,
        bucket_time_ns,
        trace_id,
        sum(is_counted) as m,
        sum(is_retried) as y,
        sum(is_settled) as sm,
        sum(is_success) as sy,
        sum(n_retries) as n_retries,
        sum(is_explicit) as n_explicit,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'pseudo_tool' then 1 else 0 end) as pseudo_tool,
        sum(case when reason = 'blocked' then 1 else 0 end) as blocked,
        sum(case when reason = 'never_executed' then 1 else 0 end) as never_executed
    from judged
    group by grouping sets (
        (is_now, trace_id),
        (is_now, tool_name, trace_id),
        (is_now, bucket_time_ns, trace_id),
        (is_now, tool_name, bucket_time_ns, trace_id)
    )
),

final as (
    select
        is_now,
        tool_name,
        bucket_time_ns,
        sum(m) as n,
        sum(y) as numerator,
        sum(m) as denominator,
        sum(case when m > 0 then 1 else 0 end) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm,
        sum(sm) as success_n,
        sum(sy) as success_numerator,
        sum(sm) as success_denominator,
        sum(case when sm > 0 then 1 else 0 end) as success_n_clusters,
        sum(sy * sy) as success_yy,
        sum(sy * sm) as success_ym,
        sum(sm * sm) as success_mm,
        sum(y - sm) as unknown_outcome,
        sum(n_retries) as n_retries,
        sum(n_explicit) as n_explicit,
        sum(no_start_time) as no_start_time,
        sum(pseudo_tool) as pseudo_tool,
        sum(blocked) as blocked,
        sum(never_executed) as never_executed
    from by_trace
    group by is_now, tool_name, bucket_time_ns
)

select
    is_now,
    tool_name,
    bucket_time_ns,
    n,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm,
    success_n,
    success_numerator,
    success_denominator,
    success_n_clusters,
    success_yy,
    success_ym,
    success_mm,
    unknown_outcome,
    n_retries,
    n_explicit,
    no_start_time,
    pseudo_tool,
    blocked,
    never_executed
from final
order by
    is_now,
    tool_name nulls first,
    bucket_time_ns nulls first
