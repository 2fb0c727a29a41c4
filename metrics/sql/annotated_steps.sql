-- What: what is said of the runs of benchmark cases under one name of a score: which step was the
--   fault, or how the run ended.
-- Unit: scores. Denominator: none.
-- Excluded: scores of cases without a run in the store.
with run as (
    select
        case_id,
        trace_id
    from case_run
),

final as (
    select distinct
        hex_trace(r.trace_id) as trace_id,
        s.case_id,
        s.step,
        s.value,
        s.label
    from score as s
    inner join run as r
        on r.case_id = s.case_id and (s.trace_id is null or s.trace_id = r.trace_id)
    where s.name = $score_name
)

select
    trace_id,
    case_id,
    step,
    value,
    label
from final
order by
    case_id,
    trace_id,
    step
