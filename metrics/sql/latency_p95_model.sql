-- What: the quantile $q of model call durations, for the scope, the period before and each time
--   bucket; with it the durations at $q_low and $q_high (ranks of the interval) and how many calls
--   took $slow_ns or longer.
-- Unit: nanoseconds. Denominator: n, model calls with a real duration. Versions of one span are one
--   call; of model spans inside model spans (double instrumentation) the outermost counts.
-- Excluded and counted: no start, unfinished, end before start. A tool stands for the model calls
--   that asked for it, an agent for those of its traces.
with model_call as (
    select
        l.trace_id,
        l.span_id,
        max(s.parent_span_id) as parent_span_id,
        max(s.start_time_ns) as start_time_ns,
        max(s.end_time_ns) as end_time_ns,
        max(s.duration_ns) as duration_ns
    from llm_call as l
    inner join span as s
        on s.trace_id = l.trace_id and s.span_id = l.span_id and s.record_hash = l.record_hash
    inner join span_role as r
        on r.trace_id = l.trace_id and r.span_id = l.span_id and r.record_hash = l.record_hash
    where r.role = 'model'
    group by l.trace_id, l.span_id
),

placed as (
    select
        m.trace_id,
        m.start_time_ns,
        m.end_time_ns,
        m.duration_ns,
        coalesce(m.start_time_ns, t.start_time_ns) as placed_time_ns
    from model_call as m
    left join model_call as p
        on p.trace_id = m.trace_id and p.span_id = m.parent_span_id
    left join trace as t on t.trace_id = m.trace_id
    where
        p.span_id is null
        and (
            $tool_name is null
            or (m.trace_id, m.span_id) in (
                select trace_id, llm_span_id from decision
                where tool_name = $tool_name and llm_span_id is not null
            )
        )
        and (
            $agent_name is null
            or m.trace_id in (select trace_id from trace where agent_name = $agent_name)
        )
),

scoped as (
    select
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        duration_ns,
        case
            when start_time_ns is null then 'no_start_time'
            when end_time_ns is null then 'unfinished'
            when duration_ns is null then 'negative_duration'
            else 'counted'
        end as reason
    from placed
    where
        (placed_time_ns >= $before_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

bucketed as (
    select
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        reason,
        case when reason = 'counted' then duration_ns end as real_duration_ns
    from scoped
),

final as (
    select
        is_now,
        bucket_time_ns,
        sum(case when reason = 'counted' then 1 else 0 end) as n,
        exact_quantile(real_duration_ns, $q) as value_ns,
        exact_quantile(real_duration_ns, $q_low) as low_ns,
        exact_quantile(real_duration_ns, $q_high) as high_ns,
        sum(case when real_duration_ns >= $slow_ns then 1 else 0 end) as n_slow,
        sum(case when reason = 'no_start_time' then 1 else 0 end) as no_start_time,
        sum(case when reason = 'unfinished' then 1 else 0 end) as unfinished,
        sum(case when reason = 'negative_duration' then 1 else 0 end) as negative_duration
    from bucketed
    group by grouping sets (
        (is_now),
        (is_now, bucket_time_ns)
    )
)

select
    is_now,
    bucket_time_ns,
    n,
    value_ns,
    low_ns,
    high_ns,
    n_slow,
    no_start_time,
    unfinished,
    negative_duration
from final
order by
    is_now,
    bucket_time_ns nulls first
