-- What: the traces behind the retry rate and, with $is_success_rate, the retry success rate,
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; chains, in the trace of their head. Denominator: none.
-- Excluded: what retry_rate.sql excludes.
with head as (
    select
        c.trace_id,
        c.head_trace_id,
        c.call_index,
        c.is_pseudo,
        c.is_executed,
        c.status,
        case when c.n_attempts > 1 then c.n_attempts else 1 end as n_tries,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join trace as t on t.trace_id = c.trace_id
    where
        c.call_index = c.retry_root
        and ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
),

repeats as (
    select
        head_trace_id,
        retry_root,
        sum(case when n_attempts > 1 then n_attempts else 1 end) as n_tries,
        argMax(status, call_index) as last_status
    from tool_call
    where
        call_index <> retry_root
        and is_executed
        and not is_pseudo
        and status <> 'blocked'
    group by head_trace_id, retry_root
),

chain as (
    select
        h.trace_id,
        h.n_tries + coalesce(r.n_tries, 0) as n_tries,
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
        (h.placed_time_ns >= $start_time_ns and h.placed_time_ns < $end_time_ns)
        or h.placed_time_ns is null
),

scoped as (
    select
        trace_id,
        case when reason = 'counted' then 1 else 0 end as is_counted,
        case when reason = 'counted' and n_tries > 1 then 1 else 0 end as is_retried,
        last_status
    from chain
),

judged as (
    select
        trace_id,
        is_counted,
        is_retried,
        case when is_retried = 1 and last_status in ('ok', 'error') then 1 else 0 end as is_settled,
        case when is_retried = 1 and last_status = 'ok' then 1 else 0 end as is_success
    from scoped
),

part as (
    select
        trace_id,
        sum(
            case
                when $is_success_rate and $part = 'numerator' then is_success
                when $is_success_rate and $part = 'worst' then is_settled - is_success
                when $is_success_rate then is_settled
                when $part = 'numerator' then is_retried
                else is_counted
            end
        ) as n
    from judged
    group by trace_id
),

kept as (
    select
        p.trace_id,
        t.start_time_ns,
        p.n,
        p.n as units
    from part as p
    left join trace as t on t.trace_id = p.trace_id
    where p.n > 0
),

total as (
    select
        count(*) as n_traces,
        sum(n) as total_n,
        sum(units) as total_units
    from kept
),

final as (
    select
        hex_trace(k.trace_id) as trace_id,
        k.start_time_ns,
        k.n,
        k.units,
        total.n_traces,
        total.total_n,
        total.total_units
    from kept as k
    cross join total
)

select
    trace_id,
    start_time_ns,
    n,
    units,
    n_traces,
    total_n,
    total_units
from final
order by
    start_time_ns desc nulls last,
    trace_id
limit $limit offset $offset
