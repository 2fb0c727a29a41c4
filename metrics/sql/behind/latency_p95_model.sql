-- What: the traces behind a P95 of model calls (denominator) or of $slow_ns and more (numerator),
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; model calls. Denominator: none.
-- Excluded: what latency_p95_model.sql excludes.
with model_call as (
    select
        l.trace_id,
        l.span_id,
        max(s.parent_span_id) as parent_span_id,
        max(s.start_time_ns) as start_time_ns,
        max(s.end_time_ns) as end_time_ns,
        max(s.duration_ns) as duration_ns
    from llm_call as l
    inner join span as s
        on s.trace_id = l.trace_id and s.span_id = l.span_id and s.record_hash = l.record_hash
    inner join span_role as r
        on r.trace_id = l.trace_id and r.span_id = l.span_id and r.record_hash = l.record_hash
    where r.role = 'model'
    group by l.trace_id, l.span_id
),

placed as (
    select
        m.trace_id,
        m.start_time_ns,
        m.end_time_ns,
        m.duration_ns,
        coalesce(m.start_time_ns, t.start_time_ns) as placed_time_ns
    from model_call as m
    left join model_call as p
        on p.trace_id = m.trace_id and p.span_id = m.parent_span_id
    left join trace as t on t.trace_id = m.trace_id
    where
        p.span_id is null
        and (
            $tool_name is null
            or (m.trace_id, m.span_id) in (
                select trace_id, llm_span_id from decision
                where tool_name = $tool_name and llm_span_id is not null
            )
        )
        and (
            $agent_name is null
            or m.trace_id in (select trace_id from trace where agent_name = $agent_name)
        )
),

scoped as (
    select
        trace_id,
        duration_ns,
        case
            when start_time_ns is null then 'no_start_time'
            when end_time_ns is null then 'unfinished'
            when duration_ns is null then 'negative_duration'
            else 'counted'
        end as reason
    from placed
    where
        (placed_time_ns >= $start_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

part as (
    select
        trace_id,
        count(*) as n
    from scoped
    where
        reason = 'counted'
        and ($part = 'denominator' or duration_ns >= $slow_ns)
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
