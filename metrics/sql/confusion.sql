-- What: judged decisions by the tool that was needed and the tool that was chosen, of each source;
--   and of each two tools that were taken for each other (is_pair) the share of the decisions that
--   needed either in which the other was chosen.
-- Unit: decisions, and their weight (1 / inclusion probability). Denominator: n over all cells; of a
--   pair the weight of the decisions that needed either. Sums over traces are the moments of its
--   clustered interval.
--   A right or acceptable choice counts as needed; else the needed one is the one that annotators
--   name most, NO_CALL where none was, UNKNOWN where nobody says. A chosen tool that no registry
--   knows is UNKNOWN too.
-- Excluded: no start, pseudo tools, judged by no human (in replay also rules may judge), cannot tell,
--   tied annotators, labels whose decision is not in the store.
with tally as (
    select
        source,
        trace_id,
        turn_index,
        call_index,
        max(inclusion_probability) as inclusion_probability,
        count(*) as n_votes,
        sum(is_selection_ok) as n_ok,
        max(case when sub = 'UNKNOWN_TOOL' then 1 else 0 end) as is_unknown_tool,
        min(
            case
                when is_selection_ok = 1 then null
                when label = 'SHOULD_NOT_HAVE_CALLED' then 'NO_CALL'
                when expected_tool <> '' then expected_tool
                else 'UNKNOWN'
            end
        ) as needed
    from ballot
    where is_judge = 1 and label <> 'CANT_TELL'
    group by source, trace_id, turn_index, call_index
),

placed as (
    select
        v.source,
        v.trace_id,
        1 / v.inclusion_probability as weight,
        v.n_votes,
        v.n_ok,
        v.needed,
        case when v.is_unknown_tool = 1 then 'UNKNOWN' else d.tool_name end as chosen,
        d.tool_name,
        d.placed_time_ns
    from tally as v
    inner join decided as d
        on
            d.trace_id = v.trace_id
            and d.turn_index = v.turn_index
            and coalesce(d.call_index, -1) = v.call_index
    where
        not d.is_pseudo
        and 2 * v.n_ok <> v.n_votes
        and ($agent_name is null or d.agent_name = $agent_name)
),

scoped as (
    select
        source,
        trace_id,
        weight,
        chosen,
        case when 2 * n_ok > n_votes then chosen else needed end as needed
    from placed
    where
        placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
        and (
            $tool_name is null
            or tool_name = $tool_name
            or (2 * n_ok <= n_votes and needed = $tool_name)
        )
),

pair as (
    select distinct
        source,
        least(needed, chosen) as one,
        greatest(needed, chosen) as other
    from scoped
    where
        needed <> chosen
        and needed not in ('NO_CALL', 'UNKNOWN')
        and chosen not in ('NO_CALL', 'UNKNOWN')
),

pair_decision as (
    select
        p.source,
        p.one,
        p.other,
        s.trace_id,
        s.weight,
        case
            when s.needed <> s.chosen and s.chosen in (p.one, p.other) then 1
            else 0
        end as is_mixed
    from pair as p
    inner join scoped as s on s.source = p.source
    where s.needed in (p.one, p.other)
),

pair_trace as (
    select
        source,
        one,
        other,
        trace_id,
        count(*) as n,
        sum(is_mixed) as n_mixed,
        sum(weight) as m,
        sum(is_mixed * weight) as y
    from pair_decision
    group by source, one, other, trace_id
),

final as (
    select
        0 as is_pair,
        source,
        needed,
        chosen,
        count(*) as n,
        0 as n_mixed,
        0.0 as numerator,
        sum(weight) as denominator,
        0 as n_clusters,
        0.0 as yy,
        0.0 as ym,
        0.0 as mm
    from scoped
    group by source, needed, chosen
    union all
    select
        1 as is_pair,
        source,
        one as needed,
        other as chosen,
        sum(n) as n,
        sum(n_mixed) as n_mixed,
        sum(y) as numerator,
        sum(m) as denominator,
        count(*) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm
    from pair_trace
    group by source, one, other
)

select
    is_pair,
    source,
    needed,
    chosen,
    n,
    n_mixed,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm
from final
order by
    is_pair,
    source,
    needed,
    chosen
