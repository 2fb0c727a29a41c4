-- What: judged decisions whose tool was right, weighted by 1 / inclusion probability, by the chosen
--   tool and its contract version, and by model; of each source, for the scope and the period before.
-- Unit: weighted decisions. Denominator: sum of weights of decisions with a verdict; n counts them.
-- Excluded: no start, pseudo tools, judged by no human (in replay also rules may judge), cannot tell,
--   tied annotators, labels whose decision is not in the store; decisions that name no version (or
--   no model) are in none of its groups.
-- Sums over traces are the moments of the clustered interval: yy = sum of y * y, and so on.
with placed as (
    select
        v.source,
        v.trace_id,
        1 / v.inclusion_probability as weight,
        case when 2 * v.n_selection_ok > v.n_votes then 1 else 0 end as is_ok,
        d.tool_name,
        d.contract_version,
        d.model,
        coalesce(d.time_ns, t.start_time_ns) as placed_time_ns
    from vote as v
    inner join decision as d
        on
            d.trace_id = v.trace_id
            and d.turn_index = v.turn_index
            and coalesce(d.call_index, -1) = v.call_index
    left join trace as t on t.trace_id = d.trace_id
    where
        not d.is_pseudo
        and 2 * v.n_selection_ok <> v.n_votes
        and ($tool_name is null or d.tool_name = $tool_name)
        and ($agent_name is null or d.agent_name = $agent_name)
),

parted as (
    select
        source,
        trace_id,
        weight,
        is_ok,
        placed_time_ns,
        'version' as part,
        tool_name,
        contract_version as name
    from placed
    union all
    select
        source,
        trace_id,
        weight,
        is_ok,
        placed_time_ns,
        'model' as part,
        '' as tool_name,
        model as name
    from placed
),

scoped as (
    select
        source,
        trace_id,
        part,
        tool_name,
        name,
        weight,
        is_ok,
        case when placed_time_ns >= $start_time_ns then 1 else 0 end as is_now
    from parted
    where
        name is not null
        and placed_time_ns >= $before_time_ns
        and placed_time_ns < $end_time_ns
),

by_trace as (
    select
        source,
        is_now,
        part,
        tool_name,
        name,
        trace_id,
        count(*) as n,
        sum(weight) as m,
        sum(is_ok * weight) as y
    from scoped
    group by source, is_now, part, tool_name, name, trace_id
),

final as (
    select
        source,
        is_now,
        part,
        tool_name,
        name,
        sum(n) as n,
        sum(y) as numerator,
        sum(m) as denominator,
        count(*) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm
    from by_trace
    group by source, is_now, part, tool_name, name
)

select
    source,
    is_now,
    part,
    tool_name,
    name,
    n,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm
from final
order by
    source,
    part,
    tool_name,
    name,
    is_now
