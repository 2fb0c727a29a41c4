-- What: the snapshots that each trace showed its model, in their order.
-- Unit: observations. Denominator: none.
-- Excluded: observations without a time; traces without a start.
with scoped as (
    select
        o.trace_id,
        o.time_ns,
        o.span_id,
        max(o.snapshot_hash) as snapshot_hash
    from observation as o
    inner join trace as t on t.trace_id = o.trace_id
    where
        o.time_ns is not null
        and o.n_failed = 0
        and t.start_time_ns >= $start_time_ns
        and t.start_time_ns < $end_time_ns
        and ($agent_name is null or t.agent_name = $agent_name)
        and (
            $tool_name is null
            or o.trace_id in (select trace_id from tool_call where tool_name = $tool_name)
        )
    group by o.trace_id, o.time_ns, o.span_id
),

final as (
    select
        hex_trace(trace_id) as trace_id,
        time_ns,
        span_id,
        snapshot_hash
    from scoped
)

select
    trace_id,
    snapshot_hash
from final
order by
    trace_id,
    time_ns,
    span_id
