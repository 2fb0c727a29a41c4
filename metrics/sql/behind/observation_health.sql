-- What: the traces behind one figure of observation health ($figure), numerator or denominator,
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; cells or observations, for the confidence units are its sum over
--   cells. Denominator: none.
-- Excluded: what observation_health.sql excludes.
with placed as (
    select
        o.trace_id,
        o.n_cells,
        o.n_multi_source_cells,
        o.n_conflicts,
        o.n_unknown,
        o.mean_confidence,
        o.is_reread,
        o.is_noisy,
        o.placed_time_ns
    from observation_reading($reading) as o
    where
        ($tool_name is null or list_contains(o.tool_names, $tool_name))
        and (
            $agent_name is null
            or o.trace_id in (select trace_id from trace where agent_name = $agent_name)
        )
        and (
            o.time_ns is null
            or (o.time_ns >= $start_time_ns and o.time_ns < $end_time_ns)
        )
),

sized as (
    select
        trace_id,
        case
            when $figure = 'conflict' then n_multi_source_cells
            when $figure = 'noise' then 1
            else n_cells
        end as m,
        case
            when $figure = 'conflict' then n_conflicts
            when $figure = 'unknown' then n_unknown
            when $figure = 'noise' then is_noisy
            else n_cells * mean_confidence
        end as y
    from placed
    where placed_time_ns >= $start_time_ns and placed_time_ns < $end_time_ns
),

scoped as (
    select
        trace_id,
        case when $part = 'numerator' and $figure <> 'confidence' then y else m end as n,
        case when $part = 'numerator' then y else m end as units
    from sized
),

part as (
    select
        trace_id,
        sum(n) as n,
        sum(units) as units
    from scoped
    group by trace_id
),

kept as (
    select
        p.trace_id,
        t.start_time_ns,
        p.n,
        p.units
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
