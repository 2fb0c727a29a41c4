-- What: the newest traces of a period that show one sign of a fault, without the trace itself.
-- Unit: traces. Denominator: none.
-- Excluded: as in similar_days.
with scoped as (
    select distinct trace_id
    from fault_sign
    where
        sign = $sign
        and not is_recovered
        and ($tool_name is null or tool_name = $tool_name)
        and ($error_type is null or error_type = $error_type)
),

final as (
    select
        hex_trace(t.trace_id) as trace_id,
        t.start_time_ns
    from trace as t
    inner join scoped as s on s.trace_id = t.trace_id
    where
        t.start_time_ns >= $start_time_ns
        and t.start_time_ns < $end_time_ns
        and hex_trace(t.trace_id) <> $trace_id
)

select trace_id
from final
order by
    start_time_ns desc,
    trace_id
limit $limit
