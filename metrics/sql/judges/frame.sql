-- What: what every judge that is no person says of the frame of an audit draw, trace by trace; and,
--   with an empty kind, how many decisions the frame has.
-- Unit: decisions. Denominator: decisions of the trace that the judge has a verdict on.
-- Excluded: pseudo tools, other periods and tools than the draw's, labels that cannot tell.
with framed as (
    select
        d.trace_id,
        d.turn_index,
        coalesce(d.call_index, -1) as call_index,
        d.tool_name,
        d.is_offered,
        coalesce(t.status, '') as trace_status
    from decision as d
    left join trace as t on t.trace_id = d.trace_id
    cross join audit_batch as b
    where
        b.batch_id = $batch_id
        and not d.is_pseudo
        and coalesce(d.time_ns, t.start_time_ns) >= b.start_time_ns
        and coalesce(d.time_ns, t.start_time_ns) < b.end_time_ns
        and (b.tool_name is null or d.tool_name = b.tool_name)
),

bad_call as (
    select distinct
        c.trace_id,
        c.turn_index,
        c.tool_name
    from tool_call as c
    inner join (select distinct trace_id from framed) as f on f.trace_id = c.trace_id
    where
        c.status in ('error', 'blocked')
        or c.retry_of is not null
        or not coalesce(c.is_arguments_valid, true)
),

verdict as (
    select
        b.annotator as judge,
        b.annotator_kind as judge_kind,
        framed.trace_id,
        b.is_selection_ok as is_judged_right
    from framed
    inner join ballot as b
        on
            b.trace_id = framed.trace_id
            and b.turn_index = framed.turn_index
            and b.call_index = framed.call_index
    where
        b.source = 'audit'
        and b.annotator_kind <> 'HUMAN'
        and b.label <> 'CANT_TELL'
    union all
    select
        '' as judge,
        'RULE' as judge_kind,
        framed.trace_id,
        case
            when not coalesce(framed.is_offered, true) then 0
            when bad_call.trace_id is not null then 0
            when framed.trace_status = 'error' then 0
            else 1
        end as is_judged_right
    from framed
    left join bad_call
        on
            bad_call.trace_id = framed.trace_id
            and bad_call.turn_index = framed.turn_index
            and bad_call.tool_name = framed.tool_name
    union all
    select
        '' as judge,
        '' as judge_kind,
        framed.trace_id,
        0 as is_judged_right
    from framed
),

final as (
    select
        judge,
        judge_kind,
        trace_id,
        sum(is_judged_right) as n_right,
        count(*) as n
    from verdict
    group by judge, judge_kind, trace_id
)

select
    judge,
    judge_kind,
    n_right,
    n
from final
order by
    judge,
    judge_kind,
    trace_id
