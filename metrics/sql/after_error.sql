-- What: what the model did right after a call failed, by error class: the first call of the next turn,
--   or none.
-- Unit: failed calls. Denominator: n, failed calls whose next turn is visible.
-- Excluded: pseudo tools, never executed, no start, without a turn, nothing after them in the trace.
with failed as (
    select
        c.trace_id,
        c.turn_index,
        c.call_index,
        c.tool_name,
        c.arguments_hash,
        upper(coalesce(c.error_type, '')) as error_type,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join untimed_call_trace as t on t.trace_id = c.trace_id
    where
        c.status = 'error'
        and c.is_executed
        and not c.is_pseudo
        and c.turn_index is not null
        and ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and (
            c.start_time_ns is null
            or (c.start_time_ns >= $start_time_ns and c.start_time_ns < $end_time_ns)
        )
),

turn as (
    select
        trace_id,
        turn_index,
        max(case when call_index is null then 1 else 0 end) as is_none
    from decision
    where
        not is_pseudo
        and trace_id in (select trace_id from failed)
    group by trace_id, turn_index
),

next_turn as (
    select
        f.trace_id,
        f.call_index,
        min(u.turn_index) as turn_index
    from failed as f
    inner join turn as u on u.trace_id = f.trace_id and u.turn_index > f.turn_index
    group by f.trace_id, f.call_index
),

next_call as (
    select
        n.trace_id,
        n.call_index,
        max(case when c.tool_name = f.tool_name then 1 else 0 end) as is_same_tool,
        max(
            case
                when c.tool_name = f.tool_name and c.arguments_hash = f.arguments_hash then 1
                else 0
            end
        ) as is_repeat,
        max(
            case when c.tool_name = f.tool_name and c.status = 'ok' then 1 else 0 end
        ) as is_same_tool_ok,
        count(c.trace_id) as n_calls
    from next_turn as n
    inner join failed as f on f.trace_id = n.trace_id and f.call_index = n.call_index
    left join tool_call as c
        on c.trace_id = n.trace_id and c.turn_index = n.turn_index and not c.is_pseudo
    group by n.trace_id, n.call_index
),

scoped as (
    select
        f.tool_name,
        f.error_type,
        case
            when x.n_calls = 0 then 'none'
            when x.is_repeat = 1 then 'repeated'
            when x.is_same_tool = 1 then 'corrected'
            else 'other_tool'
        end as step,
        x.is_same_tool_ok
    from failed as f
    inner join next_call as x on x.trace_id = f.trace_id and x.call_index = f.call_index
    where f.placed_time_ns >= $start_time_ns and f.placed_time_ns < $end_time_ns
),

final as (
    select
        tool_name,
        error_type,
        count(*) as n,
        sum(case when step = 'none' then 1 else 0 end) as n_none,
        sum(case when step = 'repeated' then 1 else 0 end) as n_repeated,
        sum(case when step = 'corrected' then 1 else 0 end) as n_corrected,
        sum(case when step = 'corrected' then is_same_tool_ok else 0 end) as n_corrected_ok,
        sum(case when step = 'other_tool' then 1 else 0 end) as n_other_tool
    from scoped
    group by tool_name, error_type
)

select
    tool_name,
    error_type,
    n,
    n_none,
    n_repeated,
    n_corrected,
    n_corrected_ok,
    n_other_tool
from final
order by
    error_type,
    n desc,
    tool_name
