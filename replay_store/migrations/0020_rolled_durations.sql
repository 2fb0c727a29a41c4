-- What metrics ask of rollups and open rows together, continued: durations and tasks; the hours are
-- those of 0019.

-- Quantiles of durations in nanoseconds, each within 1 % of the exact one, of tool only_tool alone unless
-- that is NULL; whole, by tool and by bucket. The days that lie whole in first_day_hour..start_day_hour
-- and next_day_hour..end_day_hour are read from rollup_time_day, the other hours from rollup_time.
-- Over whole periods lat_buckets and lat_counts say how many durations lie in which latency bucket.
create macro rolled_quantiles(
    only_tool, before_hour, first_day_hour, start_day_hour, start_hour, next_day_hour,
    end_day_hour, end_hour, bucket_ns, q
) as table
with times as (
    select
        hour,
        counted,
        tool_name,
        lat_bucket,
        n,
        total_ns
    from rollup_time
    where hour < end_hour
        and (
            (hour >= before_hour and hour < first_day_hour)
            or (hour >= start_day_hour and hour < next_day_hour)
            or hour >= end_day_hour
        )
    union all
    select
        day * 24 as hour,
        counted,
        tool_name,
        lat_bucket,
        n,
        total_ns
    from rollup_time_day
    where (day * 24 >= first_day_hour and day * 24 < start_day_hour)
        or (day * 24 >= next_day_hour and day * 24 < end_day_hour)
    union all
    select
        hour,
        counted,
        tool_name,
        latency_bucket(duration_ns) as lat_bucket,
        1 as n,
        duration_ns as total_ns
    from open_time
    where hour >= before_hour
        and hour < end_hour
),

placed as (
    select
        (hour >= start_hour)::integer as is_now,
        counted,
        tool_name,
        hour * 3600000000000 - (hour * 3600000000000) % bucket_ns as bucket_time_ns,
        lat_bucket,
        n,
        total_ns
    from times
    where only_tool is null
        or tool_name = only_tool
),

counted_times as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        lat_bucket,
        sum(n) as n,
        sum(total_ns) as total_ns
    from placed
    group by grouping sets (
        (is_now, counted, lat_bucket),
        (is_now, counted, tool_name, lat_bucket),
        (is_now, counted, bucket_time_ns, lat_bucket)
    )
),

ranked as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        lat_bucket,
        bucket_middle_ns(lat_bucket) as middle_ns,
        n,
        total_ns,
        sum(n) over (
            partition by is_now, counted, tool_name, bucket_time_ns
            order by lat_bucket
        ) as n_upto,
        sum(n) over (partition by is_now, counted, tool_name, bucket_time_ns) - 1 as last_rank
    from counted_times
    where tool_name is null
        or counted = 'call'
),

around as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        sum(n) as n,
        sum(total_ns) as total_ns,
        any_value(last_rank) as last_rank,
        min(case when n_upto > floor(q * last_rank) then middle_ns end) as from_ns,
        min(case when n_upto > ceil(q * last_rank) then middle_ns end) as to_ns,
        list(lat_bucket order by lat_bucket)
            filter (where tool_name is null and bucket_time_ns is null) as lat_buckets,
        list(n::bigint order by lat_bucket)
            filter (where tool_name is null and bucket_time_ns is null) as lat_counts
    from ranked
    group by is_now, counted, tool_name, bucket_time_ns
)

select
    is_now,
    counted,
    tool_name,
    bucket_time_ns,
    n::bigint as n,
    total_ns::double as total_ns,
    from_ns + (q * last_rank - floor(q * last_rank)) * (to_ns - from_ns) as value_ns,
    lat_buckets,
    lat_counts
from around;

-- Tasks by how they count, whole and in each bucket.
create macro rolled_tasks(before_hour, start_hour, end_hour, bucket_ns) as table
with together as (
    select
        task_key,
        min(start_time_ns) as start_time_ns,
        bool_and(is_finished) as is_finished,
        bool_or(n_steps is null) as is_unknown,
        sum(n_steps) as n_steps,
        max(longest_identical_run) as longest_identical_run
    from (
        select
            task_key,
            start_time_ns,
            is_finished,
            n_steps,
            longest_identical_run
        from task_part
        union all
        select
            task_key,
            start_time_ns,
            is_finished,
            n_steps,
            longest_identical_run
        from open_task
    ) as parts
    group by task_key
),

reasoned as (
    select
        (start_time_ns // 3600000000000)::integer as hour,
        case
            when start_time_ns is null then 'no_start_time'
            when not is_finished then 'unfinished'
            when is_unknown then 'steps_unknown'
            else 'counted'
        end as reason,
        n_steps,
        coalesce(longest_identical_run > 1, false) as is_repeating
    from together
),

tasks as (
    select
        hour,
        reason,
        n_steps,
        is_repeating,
        n
    from rollup_task
    union all
    select
        hour,
        reason,
        case when reason = 'counted' then n_steps end as n_steps,
        reason = 'counted' and is_repeating as is_repeating,
        1 as n
    from reasoned
)

select
    case when hour < start_hour then 0 else 1 end as is_now,
    coalesce(hour, start_hour) * 3600000000000
        - (coalesce(hour, start_hour) * 3600000000000) % bucket_ns as bucket_time_ns,
    reason,
    n_steps,
    is_repeating,
    sum(n)::bigint as n
from tasks
where hour is null
    or (hour >= before_hour and hour < end_hour)
group by all;
