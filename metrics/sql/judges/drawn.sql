-- What: decisions of an audit draw that people judged, each with what every other judge says: rules and
--   models by their labels, and the rule that a decision is right when nothing went wrong after it.
-- Unit: decisions and judges, with the weight of the draw. Denominator: none.
-- Excluded: decisions without a verdict of people, labels that cannot tell.
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

judged as (
    select
        i.trace_id,
        i.turn_index,
        coalesce(i.call_index, -1) as call_index,
        1 / i.inclusion_probability as weight,
        v.is_selection_ok as is_right
    from audit_item as i
    inner join labelled as l
        on
            l.trace_id = i.trace_id
            and l.turn_index = i.turn_index
            and l.call_index = coalesce(i.call_index, -1)
    inner join vote as v
        on
            v.trace_id = i.trace_id
            and v.turn_index = i.turn_index
            and v.call_index = coalesce(i.call_index, -1)
    where
        i.batch_id = $batch_id
        and v.source = 'audit'
        and v.has_selection = 1
),

bad_call as (
    select distinct
        c.trace_id,
        c.turn_index,
        c.tool_name
    from tool_call as c
    inner join (select distinct trace_id from judged) as j on j.trace_id = c.trace_id
    where
        c.status in ('error', 'blocked')
        or c.retry_of is not null
        or not coalesce(c.is_arguments_valid, true)
),

verdict as (
    select
        b.annotator as judge,
        b.annotator_kind as judge_kind,
        b.trace_id,
        b.turn_index,
        b.call_index,
        b.is_selection_ok as is_judged_right
    from ballot as b
    where
        b.source = 'audit'
        and b.annotator_kind <> 'HUMAN'
        and b.label <> 'CANT_TELL'
    union all
    select
        '' as judge,
        'RULE' as judge_kind,
        d.trace_id,
        d.turn_index,
        coalesce(d.call_index, -1) as call_index,
        case
            when not coalesce(d.is_offered, true) then 0
            when bad_call.trace_id is not null then 0
            when coalesce(t.status, '') = 'error' then 0
            else 1
        end as is_judged_right
    from decision as d
    inner join (select distinct trace_id from judged) as j on j.trace_id = d.trace_id
    left join trace as t on t.trace_id = d.trace_id
    left join bad_call
        on
            bad_call.trace_id = d.trace_id
            and bad_call.turn_index = d.turn_index
            and bad_call.tool_name = d.tool_name
),

final as (
    select
        verdict.judge,
        verdict.judge_kind,
        hex_trace(judged.trace_id) as trace_id,
        judged.turn_index,
        judged.call_index,
        judged.weight,
        judged.is_right,
        verdict.is_judged_right
    from judged
    inner join verdict
        on
            verdict.trace_id = judged.trace_id
            and verdict.turn_index = judged.turn_index
            and verdict.call_index = judged.call_index
)

select
    judge,
    judge_kind,
    trace_id,
    turn_index,
    call_index,
    weight,
    is_right,
    is_judged_right
from final
order by
    judge,
    judge_kind,
    trace_id,
    turn_index,
    call_index
