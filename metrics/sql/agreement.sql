-- What: what each person said of each decision of an audit draw, before anybody adjudicated.
-- Unit: labels, one a decision and a person. Denominator: none; the function counts pairs.
-- Excluded: who cannot tell, labels by rules and models. The latest label of each person counts.
with final as (
    select
        i.position,
        b.annotator,
        b.label,
        b.is_selection_ok
    from audit_item as i
    inner join ballot as b
        on
            b.trace_id = i.trace_id
            and b.turn_index = i.turn_index
            and b.call_index = coalesce(i.call_index, -1)
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
