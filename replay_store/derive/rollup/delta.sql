-- What the traces of `rolled`, all of them open, add to the rollups; with rolling.sign -1 what they take away.
create or replace temp table delta_call as
select
    hour,
    tool_name,
    reason,
    outcome,
    is_executed,
    (count(*) * any_value(rolling.sign))::bigint as n
from open_call
semi join rolled using (trace_id)
cross join rolling
group by hour, tool_name, reason, outcome, is_executed;

create or replace temp table delta_count as
select
    hour,
    counted,
    tool_name,
    name,
    kind,
    (sum(n) * any_value(rolling.sign))::bigint as n
from open_count
semi join rolled using (trace_id)
cross join rolling
group by hour, counted, tool_name, name, kind;

create or replace temp table delta_tool_count as
select
    hour,
    tool_name,
    counted,
    name,
    kind,
    (sum(n) * any_value(rolling.sign))::bigint as n
from open_tool_count
semi join rolled using (trace_id)
cross join rolling
group by hour, tool_name, counted, name, kind;

create or replace temp table delta_times as
select
    hour,
    counted,
    tool_name,
    latency_bucket(duration_ns) as lat_bucket,
    (count(*) * any_value(rolling.sign))::bigint as n,
    (sum(duration_ns) * any_value(rolling.sign))::bigint as total_ns
from open_time
semi join rolled using (trace_id)
cross join rolling
group by hour, counted, tool_name, latency_bucket(duration_ns);

create or replace temp table delta_time as
select
    hour,
    counted,
    lat_bucket,
    sum(n)::bigint as n,
    sum(total_ns)::bigint as total_ns
from delta_times
group by hour, counted, lat_bucket;

create or replace temp table delta_tool_time as
select
    n_hours,
    hour - hour % n_hours as hour,
    counted,
    tool_name,
    lat_bucket,
    sum(n)::bigint as n
from delta_times
inner join (
    values
        ('call', 1::smallint),
        ('call', 6::smallint),
        ('call', 24::smallint),
        ('call', 168::smallint),
        ('attempt', 1::smallint),
        ('attempt', 24::smallint)
) as stretch (counted, n_hours) using (counted)
group by n_hours, hour - hour % n_hours, counted, tool_name, lat_bucket;

create or replace temp table d_share as
select
    open_share.*,
    min(hour) over of_trace < max(hour) over of_trace
        or bool_or(is_outsized(share, n, numerator)) over of_trace as is_crossing,
    min(hour // 24) over of_trace < max(hour // 24) over of_trace
        or bool_or(is_outsized(share, n, numerator)) over of_trace as is_of_days
from open_share
semi join rolled using (trace_id)
window of_trace as (partition by trace_id, share);

create or replace temp table delta_share as
with whole as (
    select
        hour,
        share,
        trace_id,
        sum(n)::bigint as n,
        sum(numerator)::bigint as numerator
    from d_share
    where not is_crossing
        and share <> 'guard_of_tool'
    group by hour, share, trace_id
),

each as (
    select
        hour,
        share,
        false as is_whole,
        tool_name,
        name,
        n,
        numerator
    from d_share
    where not is_crossing
        and share not in ('conflict', 'unknown', 'confidence', 'noise')
    union all
    select
        hour,
        share,
        true as is_whole,
        '' as tool_name,
        null as name,
        n,
        numerator
    from whole
)

select
    hour,
    share,
    is_whole,
    tool_name,
    name,
    (sum(n) * any_value(rolling.sign))::bigint as n,
    (sum(numerator) * any_value(rolling.sign))::bigint as numerator,
    (count(*) * any_value(rolling.sign))::bigint as n_clusters,
    (sum(squared(share, numerator)::bigint) * any_value(rolling.sign))::bigint as yy,
    (sum(numerator * n) * any_value(rolling.sign))::bigint as ym,
    (sum(n * n) * any_value(rolling.sign))::bigint as mm
from each
cross join rolling
group by hour, share, is_whole, tool_name, name;

create or replace temp table delta_share_day as
with daily as (
    select
        hour // 24 as day,
        share,
        trace_id,
        tool_name,
        name,
        sum(n)::bigint as n,
        sum(numerator)::bigint as numerator
    from d_share
    where not is_of_days
    group by hour // 24, share, trace_id, tool_name, name
),

whole as (
    select
        day,
        share,
        trace_id,
        sum(n)::bigint as n,
        sum(numerator)::bigint as numerator
    from daily
    where share <> 'guard_of_tool'
    group by day, share, trace_id
),

each as (
    select
        day,
        share,
        false as is_whole,
        tool_name,
        name,
        n,
        numerator
    from daily
    where share not in ('conflict', 'unknown', 'confidence', 'noise')
    union all
    select
        day,
        share,
        true as is_whole,
        '' as tool_name,
        null as name,
        n,
        numerator
    from whole
)

select
    day,
    share,
    is_whole,
    tool_name,
    name,
    (sum(n) * any_value(rolling.sign))::bigint as n,
    (sum(numerator) * any_value(rolling.sign))::bigint as numerator,
    (count(*) * any_value(rolling.sign))::bigint as n_clusters,
    (sum(squared(share, numerator)::bigint) * any_value(rolling.sign))::bigint as yy,
    (sum(numerator * n) * any_value(rolling.sign))::bigint as ym,
    (sum(n * n) * any_value(rolling.sign))::bigint as mm
from each
cross join rolling
group by day, share, is_whole, tool_name, name;

-- A task of one trace counts by itself, unless another trace names it or is known to.
create or replace temp table d_task as
select
    open_task.*,
    not is_own
        or task_key in (select task_part.task_key from task_part)
        or task_key in (
            select named.task_key
            from open_task as named
            where not named.is_own
        ) as is_part
from open_task
semi join rolled using (trace_id);

create or replace temp table delta_seen as
select
    hour,
    kind,
    name,
    value,
    (count(*) * any_value(rolling.sign))::bigint as n
from open_seen
semi join rolled using (trace_id)
cross join rolling
group by hour, kind, name, value;

create or replace temp table delta_alike as
select
    hour,
    status,
    error_type,
    call_error_types,
    fault_signs,
    (count(*) * any_value(rolling.sign))::bigint as n
from open_alike
semi join rolled using (trace_id)
cross join rolling
group by hour, status, error_type, call_error_types, fault_signs;
