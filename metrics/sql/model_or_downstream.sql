-- What: how long models and tools took, side by side.
-- Unit: nanoseconds. Denominator: n, model calls or attempts with a real duration; parallel work
--   counts each of its parts.
-- Excluded: no start, unfinished, end before start, blocked, pseudo tools; of model spans inside
--   model spans the outermost counts, versions of one span once.
with model_call as (
    select
        l.trace_id,
        l.span_id,
        max(s.parent_span_id) as parent_span_id,
        max(s.start_time_ns) as start_time_ns,
        max(s.duration_ns) as duration_ns
    from llm_call as l
    inner join span as s
        on s.trace_id = l.trace_id and s.span_id = l.span_id and s.record_hash = l.record_hash
    inner join span_role as r
        on r.trace_id = l.trace_id and r.span_id = l.span_id and r.record_hash = l.record_hash
    where r.role = 'model'
    group by l.trace_id, l.span_id
),

scoped as (
    select
        'model' as layer,
        m.duration_ns
    from model_call as m
    left join model_call as p
        on p.trace_id = m.trace_id and p.span_id = m.parent_span_id
    where
        p.span_id is null
        and m.start_time_ns >= $start_time_ns
        and m.start_time_ns < $end_time_ns
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
    union all
    select
        'downstream' as layer,
        a.duration_ns
    from attempt as a
    inner join tool_call as c
        on c.trace_id = a.trace_id and c.call_index = a.call_index
    where
        not c.is_pseudo
        and a.status <> 'blocked'
        and a.start_time_ns >= $start_time_ns
        and a.start_time_ns < $end_time_ns
        and ($tool_name is null or a.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
),

final as (
    select
        layer,
        count(*) as n,
        sum(duration_ns) as total_ns,
        exact_quantile(duration_ns, 0.95) as p95_ns
    from scoped
    where duration_ns is not null
    group by layer
)

select
    layer,
    n,
    total_ns,
    p95_ns
from final
order by layer
