-- What: calls of each tool that were answered in a degraded way, by level: L1 a default value, L2 a
--   cached or simpler answer, L3 handed to a person.
-- Unit: calls. Denominator: n_calls, executed calls.
-- Excluded: pseudo tools, blocked, never executed, no start.
with placed as (
    select
        c.tool_name,
        c.degradation,
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
        tool_name,
        degradation
    from placed
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
),

final as (
    select
        tool_name,
        count(*) as n_calls,
        sum(case when degradation = 'L1' then 1 else 0 end) as n_l1,
        sum(case when degradation = 'L2' then 1 else 0 end) as n_l2,
        sum(case when degradation = 'L3' then 1 else 0 end) as n_l3,
        sum(
            case
                when degradation is not null and degradation not in ('L1', 'L2', 'L3') then 1
                else 0
            end
        ) as n_other
    from scoped
    group by tool_name
)

select
    tool_name,
    n_calls,
    n_l1,
    n_l2,
    n_l3,
    n_other
from final
order by
    n_calls desc,
    tool_name
