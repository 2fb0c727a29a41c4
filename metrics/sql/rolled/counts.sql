-- What: what is counted beside the rates and quantiles that rollups hold, by bucket: attempts, model
--   calls, chains, evaluations, and calls as retries that could not help.
-- Unit: as counted says. Denominator: none.
-- Excluded: nothing; most of these are what others exclude. Rows without a time are not is_placed.
with final as (
    select
        is_now,
        bucket_time_ns,
        is_placed,
        counted,
        tool_name,
        name,
        kind,
        n
    from rolled_counts($before_hour, $start_hour, $end_hour, $bucket_ns)
)

select
    is_now,
    bucket_time_ns,
    is_placed,
    counted,
    tool_name,
    name,
    kind,
    n
from final
order by
    is_now,
    bucket_time_ns,
    counted,
    tool_name,
    name,
    kind
