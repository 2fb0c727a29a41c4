-- What figures read of sealed traces is what is sealed: as many calls of each tool; as many durations in
-- stretches of every length, of each tool and of all; as many callers' calls as ran; the labelled decisions
-- of each tool; each observation; each tool as often as it was seen.
with calls as (
    select
        tool_name,
        count(*) as n
    from tool_call_sealed
    group by tool_name
),

rolled as (
    select
        tool_name,
        sum(n)::bigint as n
    from rollup_call
    group by tool_name
),

stretches as (
    select
        counted,
        tool_name,
        n_hours,
        sum(n)::bigint as n
    from rollup_tool_time
    group by counted, tool_name, n_hours
),

uneven as (
    select tool_name
    from stretches
    group by counted, tool_name
    having min(n) <> max(n) or count(*) <> case when counted = 'call' then 4 else 2 end
),

ran as (
    select
        tool_name,
        sum(n)::bigint as n
    from rollup_call
    where hour is not null
        and reason <> 'pseudo_tool'
        and outcome in ('ok', 'error', 'unknown')
    group by tool_name
),

called as (
    select
        tool_name,
        sum(n)::bigint as n
    from rollup_tool_count
    where counted = 'caller'
    group by tool_name
),

durations as (
    select
        counted,
        sum(n)::bigint as n
    from rollup_time
    group by counted
    union all
    select
        counted,
        sum(n)::bigint as n
    from rollup_time_day
    group by counted
    union all
    select
        counted,
        sum(n)::bigint as n
    from stretches
    where n_hours = 1
    group by counted
),

labelled as (
    select
        tool_name,
        count(*) as n
    from decision_sealed
    where trace_id in (select labelled_trace.trace_id from labelled_trace)
    group by tool_name
),

kept as (
    select
        tool_name,
        count(*) as n
    from labelled_decision
    group by tool_name
),

seen as (
    select count(distinct (trace_id, span_id)) as n
    from observation
    where trace_id in (select trace_sealed.trace_id from trace_sealed)
        and trace_id not in (select dirty_trace.trace_id from dirty_trace)
    union all
    select count(*) as n
    from observed_sealed
    where trace_id not in (select dirty_trace.trace_id from dirty_trace)
),

placed as (
    select count(*)::bigint as n
    from observed_sealed
    where hour is not null
    union all
    select coalesce(sum(n), 0)::bigint as n
    from (
        select n from rollup_share where share = 'noise'
        union all
        select n from rollup_crossing where share = 'noise'
    ) as by_hour
    union all
    select coalesce(sum(n), 0)::bigint as n
    from (
        select n from rollup_share_day where share = 'noise'
        union all
        select n from rollup_crossing where share = 'noise' and is_of_days
    ) as by_day
),

sighted as (
    select
        tool_name,
        count(*) as n
    from tool_call_sealed
    where not is_pseudo
    group by tool_name
),

told as (
    select
        value as tool_name,
        sum(n)::bigint as n
    from rollup_seen
    where kind = 'tool'
    group by value
)

select
    tool_name as example,
    coalesce(calls.n, 0) <> coalesce(rolled.n, 0)
    or tool_name in (select uneven.tool_name from uneven)
    or coalesce(ran.n, 0) <> coalesce(called.n, 0)
    or coalesce(labelled.n, 0) <> coalesce(kept.n, 0)
    or coalesce(sighted.n, 0) <> coalesce(told.n, 0) as is_wrong
from calls
full join rolled using (tool_name)
full join ran using (tool_name)
full join called using (tool_name)
full join labelled using (tool_name)
full join kept using (tool_name)
full join sighted using (tool_name)
full join told using (tool_name)
union all
select
    'durations of each ' || counted as example,
    true as is_wrong
from durations
group by counted
having min(n) <> max(n) or count(*) <> case when counted in ('call', 'attempt') then 3 else 2 end
union all
select
    'observations' as example,
    (select min(n) <> max(n) from seen) or (select min(n) <> max(n) from placed) as is_wrong
