-- What: of the traces of a period that show a sign of a fault which was not recovered from, how many
--   failed; a row with an empty sign is of all traces, with a sign or without.
-- Unit: traces. Denominator: n, traces whose outcome is known.
-- Excluded: traces whose spans do not show whether the run failed.
-- The signs of a trace are kept with it: neither calls nor spans are read (unnest: `arrayJoin`
-- elsewhere).
with scoped as (
    select
        fault_signs,
        case when is_run_failed then 1 else 0 end as failed
    from trace
    where
        start_time_ns >= $start_time_ns
        and start_time_ns < $end_time_ns
        and is_run_failed is not null
),

shown as (
    select
        unnest(fault_signs) as sign,
        failed
    from scoped
),

final as (
    select
        '' as sign,
        count(*) as n,
        coalesce(sum(failed), 0) as n_failed
    from scoped
    union all
    select
        sign,
        count(*) as n,
        sum(failed) as n_failed
    from shown
    group by sign
)

select
    sign,
    n,
    n_failed
from final
order by sign
