-- What: judged decisions whose tool was right, weighted by 1 / inclusion probability, by the chosen
--   tool and its contract version, and by model; of each source, for the scope and the period before.
-- Unit: weighted decisions. Denominator: sum of weights of decisions with a verdict; n counts them.
-- Excluded: no start, pseudo tools, judged by no human (in replay also rules may judge), cannot tell,
--   tied annotators, labels whose decision is not in the store; decisions that name no version (or
--   no model) are in none of its groups.
-- Sums over traces are the moments of the clustered interval: yy = sum of y * y, and so on.
with placed as (
    select
        source,
        trace_id,
        weight,
        is_selection_ok as is_ok,
        tool_name,
        contract_version,
        model,
        placed_time_ns
    from judged_decision
    where
        has_selection = 1
        and ($tool_name is null or tool_name = $tool_name)
        and ($agent_name is null or agent_name = $agent_name)
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
