-- What: guard_silence.sql over rollups and open rows: the cases in the hours after the one of a rule's
--   last sign of life, and the first of those hours.
-- Unit: evaluations, or calls; hours since the epoch. Denominator: none.
-- Excluded: what guard_silence.sql excludes. Without any sign there is no row.
with shares as (
    select
        hour,
        tool_name,
        n,
        numerator
    from rollup_share
    where share = 'guard' and not is_whole and name = $rule
    union all
    select
        hour,
        tool_name,
        n,
        numerator
    from rollup_crossing
    where share = 'guard' and name = $rule
    union all
    select
        hour,
        tool_name,
        n,
        numerator
    from open_share
    where share = 'guard' and name = $rule
),

evaluated as (
    select
        hour,
        tool_name,
        n,
        numerator
    from shares
    where n > 0 and hour >= $before_hour and hour < $end_hour
),

sign as (
    select max(hour) as hour
    from evaluated
    where numerator > 0 or not $is_of_hits
),

calls as (
    select
        hour,
        tool_name,
        reason,
        is_executed,
        n
    from rollup_call
    union all
    select
        hour,
        tool_name,
        reason,
        is_executed,
        1 as n
    from open_call
),

cases as (
    select
        hour,
        n
    from evaluated
    where $is_of_hits
    union all
    select
        hour,
        n
    from calls
    where
        not $is_of_hits
        and is_executed
        and reason <> 'pseudo_tool'
        and hour >= $before_hour
        and hour < $end_hour
        and (
            tool_name in (select tool_name from evaluated)
            or exists (select 1 from evaluated where tool_name = '')
        )
),

final as (
    select
        cast(sum(c.n) as bigint) as n_silent,
        min(c.hour) as since_hour
    from cases as c
    inner join sign as s on c.hour > s.hour
)

select
    n_silent,
    since_hour
from final
where n_silent > 0
order by since_hour
