-- What: failed calls by tool and error class; an unnamed class is its own row.
-- Unit: calls, traces. Denominator: none; read beside the calls of tool_table.
-- Excluded: pseudo tools, never executed, no start.
with placed as (
    select
        c.trace_id,
        c.tool_name,
        c.error_type,
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
            or (c.start_time_ns >= $start_time_ns and c.start_time_ns < $end_time_ns)
        )
),

scoped as (
    select
        trace_id,
        tool_name,
        error_type
    from placed
    where
        status = 'error'
        and is_executed
        and not is_pseudo
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
),

final as (
    select
        tool_name,
        error_type,
        count(*) as n_calls,
        count(distinct trace_id) as n_traces
    from scoped
    group by
        tool_name,
        error_type
)

select
    tool_name,
    error_type,
    n_calls,
    n_traces
from final
order by
    n_calls desc,
    tool_name,
    error_type
