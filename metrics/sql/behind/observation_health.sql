-- What: the traces behind one figure of observation health ($figure), numerator or denominator,
--   newest first, one page of them; with each row the totals over all of them.
-- Unit: n and units per trace; cells or observations, for the confidence units are its sum over
--   cells. Denominator: none.
-- Excluded: what observation_health.sql excludes.
with pointer as (
    select
        rule_set,
        argMax(version, moved_time_ns) as version
    from rule_pointer
    group by rule_set
),

force as (
    select distinct version
    from pointer
),

current_version as (
    select
        o.trace_id,
        o.span_id,
        argMax(
            o.record_hash,
            (coalesce(s.end_time_ns, -1), s.received_time_ns, s.record_index)
        ) as record_hash
    from observation as o
    inner join span as s
        on s.trace_id = o.trace_id and s.span_id = o.span_id and s.record_hash = o.record_hash
    group by o.trace_id, o.span_id
),

again as (
    select
        r.trace_id,
        r.span_id,
        argMax(r.n_cells, r.created_time_ns) as n_cells,
        argMax(r.n_multi_source_cells, r.created_time_ns) as n_multi_source_cells,
        argMax(r.n_conflicts, r.created_time_ns) as n_conflicts,
        argMax(r.n_unknown, r.created_time_ns) as n_unknown,
        argMax(coalesce(r.mean_confidence, 0), r.created_time_ns) as mean_confidence
    from reread as r
    inner join force as f on f.version = r.rule_version
    where $reading = 'current'
    group by r.trace_id, r.span_id
),

placed as (
    select
        o.trace_id,
        coalesce(a.n_cells, o.n_cells) as n_cells,
        coalesce(a.n_multi_source_cells, o.n_multi_source_cells) as n_multi_source_cells,
        coalesce(a.n_conflicts, o.n_conflicts) as n_conflicts,
        coalesce(a.n_unknown, o.n_unknown) as n_unknown,
        coalesce(a.mean_confidence, o.mean_confidence, 0) as mean_confidence,
        case when a.n_cells is not null then 1 else 0 end as is_reread,
        case when o.n_noise_hit > 0 then 1 else 0 end as is_noisy,
        coalesce(o.time_ns, t.start_time_ns) as placed_time_ns
    from observation as o
    inner join current_version as v
        on v.trace_id = o.trace_id and v.span_id = o.span_id and v.record_hash = o.record_hash
    left join again as a on a.trace_id = o.trace_id and a.span_id = o.span_id
    left join trace as t on t.trace_id = o.trace_id
    where
        ($tool_name is null or list_contains(o.tool_names, $tool_name))
        and ($agent_name is null or t.agent_name = $agent_name)
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
