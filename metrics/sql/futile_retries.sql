-- What: retries that could not help: the same arguments again after an error class that no repeat
--   mends (S3 3.3 advises against them).
-- Unit: retries (calls or attempts). Denominator: none; read beside the retries of retry_rate.
-- Excluded: pseudo tools, calls that were never executed or were blocked.
with placed as (
    select
        c.trace_id,
        c.head_trace_id,
        c.call_index,
        c.retry_of,
        c.arguments_hash,
        c.is_pseudo,
        c.is_executed,
        c.status,
        coalesce(c.start_time_ns, t.start_time_ns) as placed_time_ns
    from tool_call as c
    left join untimed_call_trace as t on t.trace_id = c.trace_id
    where
        ($tool_name is null or c.tool_name = $tool_name)
        and ($agent_name is null or c.agent_name = $agent_name)
        and (
            c.start_time_ns is null
            or (c.start_time_ns >= $start_time_ns and c.start_time_ns < $end_time_ns)
        )
),

scoped as (
    select
        trace_id,
        head_trace_id,
        call_index,
        retry_of,
        arguments_hash
    from placed
    where
        is_executed
        and not is_pseudo
        and status <> 'blocked'
        and placed_time_ns >= $start_time_ns
        and placed_time_ns < $end_time_ns
),

repeated_call as (
    select r.trace_id
    from scoped as r
    inner join tool_call as p
        on p.head_trace_id = r.head_trace_id and p.call_index = r.retry_of
    where
        p.arguments_hash = r.arguments_hash
        and upper(p.error_type) in ('INVALID_ARGUMENT', 'PERMISSION', 'NOT_FOUND', 'AUTH')
),

repeated_attempt as (
    select n.trace_id
    from attempt as f
    inner join attempt as n
        on
            n.trace_id = f.trace_id
            and n.call_index = f.call_index
            and n.attempt_index = f.attempt_index + 1
    inner join scoped as c
        on c.trace_id = f.trace_id and c.call_index = f.call_index
    where upper(f.error_type) in ('INVALID_ARGUMENT', 'PERMISSION', 'NOT_FOUND', 'AUTH')
),

final as (
    select trace_id from repeated_call
    union all
    select trace_id from repeated_attempt
)

select count(*) as n_futile
from final
order by n_futile
