-- What: decisions of an audit draw whose tool was right (selection) and whose whole call was right
--   (call), weighted by 1 / the chance of being drawn into this draw: in all, by the chosen tool, and
--   by its contract version.
-- Unit: weighted decisions. Denominator: sum of weights of decisions with a verdict; n counts them.
--   A decision counts once somebody labelled it for this draw, which is done in a random order; then
--   all that people say of it counts.
-- Excluded and counted: not labelled for this draw by anybody, cannot tell, tied annotators.
-- Parts leave out decisions that are no longer in the store. Sums over traces are the moments of the
-- clustered interval.
with labelled as (
    select distinct
        trace_id,
        turn_index,
        coalesce(call_index, -1) as call_index
    from label
    where
        batch_id = cast($batch_id as varchar)
        and source = 'audit'
        and annotator_kind = 'HUMAN'
),

drawn as (
    select
        i.trace_id,
        1 / i.inclusion_probability as weight,
        coalesce(d.tool_name, '') as tool_name,
        coalesce(d.contract_version, '') as contract_version,
        v.has_selection,
        coalesce(v.is_selection_ok, 0) as is_selection_ok,
        v.has_call,
        coalesce(v.is_call_ok, 0) as is_call_ok,
        case
            when l.trace_id is null or v.trace_id is null then 'not_labelled'
            when v.n_votes = 0 then 'cant_tell'
            else 'counted'
        end as reason
    from audit_item as i
    left join labelled as l
        on
            l.trace_id = i.trace_id
            and l.turn_index = i.turn_index
            and l.call_index = coalesce(i.call_index, -1)
    left join (
        select
            trace_id,
            turn_index,
            call_index,
            n_votes,
            has_selection,
            is_selection_ok,
            has_call,
            is_call_ok
        from vote
        where source = 'audit'
    ) as v
        on
            v.trace_id = i.trace_id
            and v.turn_index = i.turn_index
            and v.call_index = coalesce(i.call_index, -1)
    left join decision as d
        on
            d.trace_id = i.trace_id
            and d.turn_index = i.turn_index
            and coalesce(d.call_index, -1) = coalesce(i.call_index, -1)
    where i.batch_id = $batch_id
),

judged as (
    select
        trace_id,
        weight,
        tool_name,
        contract_version,
        reason,
        case when reason = 'counted' then has_selection else 0 end as has_selection,
        is_selection_ok,
        case when reason = 'counted' then has_call else 0 end as has_call,
        is_call_ok
    from drawn
),

by_trace as (
    select
        tool_name,
        contract_version,
        trace_id,
        count(*) as n_items,
        sum(has_selection) as n,
        sum(has_selection * weight) as m,
        sum(has_selection * is_selection_ok * weight) as y,
        sum(has_call) as call_n,
        sum(has_call * weight) as call_m,
        sum(has_call * is_call_ok * weight) as call_y,
        sum(case when reason = 'counted' then 1 - has_selection else 0 end) as disagreement,
        sum(case when reason = 'counted' then 1 - has_call else 0 end) as call_disagreement,
        sum(case when reason = 'not_labelled' then 1 else 0 end) as not_labelled,
        sum(case when reason = 'cant_tell' then 1 else 0 end) as cant_tell
    from judged
    group by grouping sets (
        (trace_id),
        (tool_name, trace_id),
        (tool_name, contract_version, trace_id)
    )
),

final as (
    select
        tool_name,
        contract_version,
        sum(n_items) as n_items,
        sum(n) as n,
        sum(y) as numerator,
        sum(m) as denominator,
        sum(case when n > 0 then 1 else 0 end) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm,
        sum(call_n) as call_n,
        sum(call_y) as call_numerator,
        sum(call_m) as call_denominator,
        sum(case when call_n > 0 then 1 else 0 end) as call_n_clusters,
        sum(call_y * call_y) as call_yy,
        sum(call_y * call_m) as call_ym,
        sum(call_m * call_m) as call_mm,
        sum(disagreement) as disagreement,
        sum(call_disagreement) as call_disagreement,
        sum(not_labelled) as not_labelled,
        sum(cant_tell) as cant_tell
    from by_trace
    where
        (tool_name is null or tool_name <> '')
        and (contract_version is null or contract_version <> '')
    group by tool_name, contract_version
)

select
    tool_name,
    contract_version,
    n_items,
    n,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm,
    call_n,
    call_numerator,
    call_denominator,
    call_n_clusters,
    call_yy,
    call_ym,
    call_mm,
    disagreement,
    call_disagreement,
    not_labelled,
    cant_tell
from final
order by
    tool_name nulls first,
    contract_version nulls first
