-- What: judged decisions whose tool was right (selection) and whose whole call was right (call),
--   weighted by 1 / inclusion probability. Each source of labels apart, for the scope and the
--   period before, each in all and by tool, whole and for each time bucket.
-- Unit: weighted decisions. Denominator: sum of weights of decisions with a verdict; n counts them.
--   The latest label of each annotator counts; among annotators the majority.
-- Excluded and counted: label without a stored decision, no start, pseudo tools, judged by no human
--   (in replay also rules may judge), cannot tell, tied annotators.
-- A tool is the chosen one. Sums over traces are the moments of the clustered interval.
with judged as (
    select
        source,
        trace_id,
        coalesce(tool_name, '') as tool_name,
        case when coalesce(placed_time_ns, $start_time_ns) >= $start_time_ns then 1 else 0 end as is_now,
        coalesce(placed_time_ns, $start_time_ns)
            - coalesce(placed_time_ns, $start_time_ns) % $bucket_ns as bucket_time_ns,
        weight,
        reason,
        has_selection,
        is_selection_ok,
        has_call,
        is_call_ok
    from judged_decision
    where
        (
            reason = 'decision_not_stored'
            or (
                ($tool_name is null or tool_name = $tool_name)
                and ($agent_name is null or agent_name = $agent_name)
            )
        )
        and (
            (placed_time_ns >= $before_time_ns and placed_time_ns < $end_time_ns)
            or placed_time_ns is null
        )
),

by_trace as (
    select
        source,
        is_now,
        tool_name,
        bucket_time_ns,
        trace_id,
        sum(has_selection) as n,
        sum(has_selection * weight) as m,
        sum(has_selection * is_selection_ok * weight) as y,
        sum(has_call) as call_n,
        sum(has_call * weight) as call_m,
        sum(has_call * is_call_ok * weight) as call_y,
        sum(case when reason = 'counted' then 1 - has_selection else 0 end) as disagreement,
        sum(case when reason = 'counted' then 1 - has_call else 0 end) as call_disagreement,
        sum(case when reason = 'decision_not_stored' then 1 else 0 end) as decision_not_stored,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'pseudo_tool' then 1 else 0 end) as pseudo_tool,
        sum(case when reason = 'not_human' then 1 else 0 end) as not_human,
        sum(case when reason = 'cant_tell' then 1 else 0 end) as cant_tell
    from judged
    group by grouping sets (
        (source, is_now, trace_id),
        (source, is_now, tool_name, trace_id),
        (source, is_now, bucket_time_ns, trace_id),
        (source, is_now, tool_name, bucket_time_ns, trace_id)
    )
),

final as (
    select
        source,
        is_now,
        tool_name,
        bucket_time_ns,
        sum(n) as n,
        sum(y) as numerator,
        sum(m) as denominator,
        sum(case when n > 0 then 1 else 0 end) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm,
        sum(call_n) as call_n,
        sum(call_y) as call_numerator,
        sum(call_m) as call_denominator,
        sum(case when call_n > 0 then 1 else 0 end) as call_n_clusters,
        sum(call_y * call_y) as call_yy,
        sum(call_y * call_m) as call_ym,
        sum(call_m * call_m) as call_mm,
        sum(disagreement) as disagreement,
        sum(call_disagreement) as call_disagreement,
        sum(decision_not_stored) as decision_not_stored,
        sum(no_start_time) as no_start_time,
        sum(pseudo_tool) as pseudo_tool,
        sum(not_human) as not_human,
        sum(cant_tell) as cant_tell
    from by_trace
    group by source, is_now, tool_name, bucket_time_ns
)

select
    source,
    is_now,
    tool_name,
    bucket_time_ns,
    n,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm,
    call_n,
    call_numerator,
    call_denominator,
    call_n_clusters,
    call_yy,
    call_ym,
    call_mm,
    disagreement,
    call_disagreement,
    decision_not_stored,
    no_start_time,
    pseudo_tool,
    not_human,
    cant_tell
from final
order by
    source,
    is_now,
    tool_name nulls first,
    bucket_time_ns nulls first
