-- What: what each person said of each decision of an audit draw, before anybody adjudicated.
-- Unit: labels, one a decision and a person. Denominator: none; the function counts pairs.
-- Excluded: who cannot tell, labels by rules and models, people who judged in other draws only.
--   The latest label of each person counts.
with labelled as (
    select distinct
        trace_id,
        turn_index,
        coalesce(call_index, -1) as call_index,
        annotator
    from label
    where
        batch_id = cast($batch_id as varchar)
        and source = 'audit'
        and annotator_kind = 'HUMAN'
),

final as (
    select
        i.position,
        b.annotator,
        b.label,
        b.is_selection_ok
    from audit_item as i
    inner join labelled as l
        on
            l.trace_id = i.trace_id
            and l.turn_index = i.turn_index
            and l.call_index = coalesce(i.call_index, -1)
    inner join ballot as b
        on
            b.trace_id = i.trace_id
            and b.turn_index = i.turn_index
            and b.call_index = coalesce(i.call_index, -1)
            and b.annotator = l.annotator
    where
        i.batch_id = $batch_id
        and b.is_rater = 1
        and b.label <> 'CANT_TELL'
)

select
    position,
    annotator,
    label,
    is_selection_ok
from final
order by
    position,
    annotator
