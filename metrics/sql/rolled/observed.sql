-- What: whether rollups tell of observations: the dictionary in force (the one put there last; NULL while
--   the package's own files are), whether those in force have read any output again, and whether days were
--   moved to files by a version that kept no such rollups.
-- Unit: none. Denominator: none.
-- Excluded: nothing.
with pointer as (
    select
        rule_set,
        argMax(version, moved_time_ns) as version,
        max(moved_time_ns) as moved_time_ns
    from rule_pointer
    group by rule_set
),

moved as (
    select part_id
    from tier_file
    where table_name in ('observation', 'observed')
    group by part_id
    having max(case when table_name = 'observed' then 1 else 0 end) = 0
),

final as (
    select
        argMax(version, moved_time_ns) as rule_version,
        exists (
            select 1 from reread where rule_version in (select version from pointer)
        ) as is_reread,
        exists (select 1 from moved) as is_moved_before
    from pointer
)

select
    rule_version,
    is_reread,
    is_moved_before
from final
order by rule_version
