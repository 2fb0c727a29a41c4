-- What: traces of a period that show one sign of a fault, by day and version of the tool's contract.
-- Unit: traces. Denominator: none; n_failed of the n failed.
-- Excluded: signs that were recovered from, and signs of another tool or error class where one is asked.
with scoped as (
    select
        t.trace_id,
        floor(t.hour / 24) as day,
        max(coalesce(f.contract_version, '')) as version,
        max(case when t.is_run_failed then 1 else 0 end) as failed
    from fault_sign as f
    inner join trace as t on t.trace_id = f.trace_id
    where
        f.sign = $sign
        and not f.is_recovered
        and ($tool_name is null or f.tool_name = $tool_name)
        and ($error_type is null or f.error_type = $error_type)
        and t.start_time_ns >= $start_time_ns
        and t.start_time_ns < $end_time_ns
    group by
        t.trace_id,
        floor(t.hour / 24)
),

final as (
    select
        cast(day as integer) as day,
        version,
        count(*) as n,
        sum(failed) as n_failed
    from scoped
    group by
        day,
        version
)

select
    day,
    version,
    n,
    n_failed
from final
order by
    day,
    version
