-- Traces whose task, or else whose session, is one of the words; newest first, and how many there are.
-- The words stand in the place of $word, as in find_by_call.
with named as (
    select
        case when task_id in ($word) then 1 else 2 end as rank,
        trace_id,
        task_id,
        session_id,
        start_time_ns
    from trace
    where task_id in ($word)
        or session_id in ($word)
)
select
    case when rank = 1 then 'task' else 'session' end as kind,
    case when rank = 1 then task_id else session_id end as value,
    hex_trace(trace_id) as trace_id,
    null as span_id,
    count(*) over () as n
from named
where rank = (select min(rank) from named)
order by
    start_time_ns desc nulls last,
    trace_id
limit $limit
