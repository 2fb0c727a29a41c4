-- What: the newest trace before a moment that did the same kind of task and shows no sign of a fault:
--   the same agent, the same name, the same first tool; of those one with the same second tool, if any.
-- Unit: traces. Denominator: none.
-- Excluded: traces whose run failed or did not end; traces with a sign that was not recovered from.
with wanted as (
    select
        trace_id,
        coalesce(agent_name, service_name, '') as agent,
        coalesce(name, '') as name
    from trace
    where hex_trace(trace_id) = $trace_id
),

first_call as (
    select
        c.trace_id,
        max(case when c.call_index = 0 then c.tool_name end) as tool_name,
        max(case when c.call_index = 1 then c.tool_name end) as next_tool_name
    from tool_call as c
    where c.call_index <= 1
    group by c.trace_id
),

scoped as (
    select
        t.trace_id,
        t.start_time_ns,
        case
            when coalesce(o.next_tool_name, '') = coalesce(m.next_tool_name, '') then 1
            else 0
        end as is_close
    from trace as t
    inner join wanted as w
        on
            coalesce(t.agent_name, t.service_name, '') = w.agent
            and coalesce(t.name, '') = w.name
    left join first_call as o on o.trace_id = t.trace_id
    left join first_call as m on m.trace_id = w.trace_id
    where
        t.trace_id <> w.trace_id
        and t.start_time_ns >= $start_time_ns
        and t.start_time_ns < $end_time_ns
        and t.status = 'ok'
        and t.is_finished
        and coalesce(o.tool_name, '') = coalesce(m.tool_name, '')
),

final as (
    select
        hex_trace(s.trace_id) as trace_id,
        s.start_time_ns,
        s.is_close
    from scoped as s
    left join (
        select distinct trace_id
        from fault_sign
        where not is_recovered
    ) as f on f.trace_id = s.trace_id
    where f.trace_id is null
)

select trace_id
from final
order by
    is_close desc,
    start_time_ns desc,
    trace_id
limit 1
