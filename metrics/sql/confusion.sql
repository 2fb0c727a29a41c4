-- What: judged decisions by the tool that was needed and the tool that was chosen, of each source.
-- Unit: decisions, and their weight (1 / inclusion probability). Denominator: n over all cells.
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
        1 / v.inclusion_probability as weight,
        v.n_votes,
        v.n_ok,
        v.needed,
        case when v.is_unknown_tool = 1 then 'UNKNOWN' else d.tool_name end as chosen,
        d.tool_name,
        coalesce(d.time_ns, t.start_time_ns) as placed_time_ns
    from tally as v
    inner join decision as d
        on
            d.trace_id = v.trace_id
            and d.turn_index = v.turn_index
            and coalesce(d.call_index, -1) = v.call_index
    left join trace as t on t.trace_id = d.trace_id
    where
        not d.is_pseudo
        and 2 * v.n_ok <> v.n_votes
        and ($agent_name is null or d.agent_name = $agent_name)
),

scoped as (
    select
        source,
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

final as (
    select
        source,
        needed,
        chosen,
        count(*) as n,
        sum(weight) as weight
    from scoped
    group by source, needed, chosen
)

select
    source,
    needed,
    chosen,
    n,
    weight
from final
order by
    source,
    needed,
    chosen
