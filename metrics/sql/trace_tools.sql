-- What: the tools of each trace, one row a call, in the order of the calls.
-- Unit: calls. Denominator: none.
-- Excluded: pseudo tools; with a scope, calls of traces that start outside it.
with scoped as (
    select trace_id
    from trace
    where
        ($start_time_ns is null or start_time_ns >= $start_time_ns)
        and ($end_time_ns is null or start_time_ns < $end_time_ns)
),

final as (
    select
        hex_trace(c.trace_id) as trace_id,
        c.call_index,
        c.tool_name
    from tool_call as c
    inner join scoped as s on s.trace_id = c.trace_id
    where not c.is_pseudo
)

select
    trace_id,
    tool_name
from final
order by
    trace_id,
    call_index
