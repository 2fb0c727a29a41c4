-- The rollups of the hours that changed are written anew: what they held and what comes.
create or replace temp table delta_task as
select
    (start_time_ns // 3600000000000)::integer as hour,
    case
        when start_time_ns is null then 'no_start_time'
        when not is_finished then 'unfinished'
        when n_steps is null then 'steps_unknown'
        else 'counted'
    end as reason,
    case when start_time_ns is not null and is_finished then n_steps end as n_steps,
    start_time_ns is not null
        and is_finished
        and n_steps is not null
        and coalesce(longest_identical_run > 1, false) as is_repeating,
    (count(*) * any_value(rolling.sign))::bigint as n
from d_task
cross join rolling
where not is_part
group by all;
create or replace temp table delta_time_day as
select
    hour // 24 as day,
    counted,
    lat_bucket,
    sum(n) as n,
    sum(total_ns) as total_ns
from delta_time
group by day, counted, lat_bucket;

create or replace temp table merged as
select
    hour,
    tool_name,
    reason,
    outcome,
    is_executed,
    sum(n)::bigint as n
from (
    from rollup_call
    where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_call)
    union all
    from delta_call
)
group by hour, tool_name, reason, outcome, is_executed
having sum(n) <> 0;
delete from rollup_call where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_call);
insert into rollup_call by name from merged order by hour, tool_name;

create or replace temp table merged as
select
    hour,
    counted,
    tool_name,
    name,
    kind,
    sum(n)::bigint as n
from (
    from rollup_count
    where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_count)
    union all
    from delta_count
)
group by hour, counted, tool_name, name, kind
having sum(n) <> 0;
delete from rollup_count where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_count);
insert into rollup_count by name from merged order by hour, counted, tool_name;

create or replace temp table merged as
select
    hour,
    tool_name,
    counted,
    name,
    kind,
    sum(n)::bigint as n
from (
    from rollup_tool_count
    where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_tool_count)
    union all
    from delta_tool_count
)
group by hour, tool_name, counted, name, kind
having sum(n) <> 0;
delete from rollup_tool_count
where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_tool_count);
insert into rollup_tool_count by name from merged order by hour, tool_name, counted;

create or replace temp table merged as
select
    hour,
    counted,
    lat_bucket,
    sum(n)::bigint as n,
    sum(total_ns)::bigint as total_ns
from (
    from rollup_time
    where hour in (select hour from delta_time)
    union all
    from delta_time
)
group by hour, counted, lat_bucket
having sum(n) <> 0;
delete from rollup_time where hour in (select hour from delta_time);
insert into rollup_time by name from merged order by hour, counted, lat_bucket;

create or replace temp table merged as
select
    day,
    counted,
    lat_bucket,
    sum(n)::bigint as n,
    sum(total_ns)::bigint as total_ns
from (
    from rollup_time_day
    where day in (select day from delta_time_day)
    union all
    from delta_time_day
)
group by day, counted, lat_bucket
having sum(n) <> 0;
delete from rollup_time_day where day in (select day from delta_time_day);
insert into rollup_time_day by name from merged order by day, counted, lat_bucket;

create or replace temp table merged as
select
    n_hours,
    hour,
    counted,
    tool_name,
    lat_bucket,
    sum(n)::bigint as n
from (
    from rollup_tool_time
    where (n_hours, hour) in (select n_hours, hour from delta_tool_time)
    union all by name
    from delta_tool_time
)
group by n_hours, hour, counted, tool_name, lat_bucket
having sum(n) <> 0;
delete from rollup_tool_time
where (n_hours, hour) in (select n_hours, hour from delta_tool_time);
insert into rollup_tool_time by name
from merged
order by n_hours, hour, counted, tool_name, lat_bucket;

create or replace temp table merged as
select
    hour,
    share,
    is_whole,
    tool_name,
    name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    sum(n_clusters)::bigint as n_clusters,
    sum(yy)::bigint as yy,
    sum(ym)::bigint as ym,
    sum(mm)::bigint as mm
from (
    from rollup_share
    where hour in (select hour from delta_share)
    union all
    from delta_share
)
group by hour, share, is_whole, tool_name, name
having sum(n) <> 0;
delete from rollup_share where hour in (select hour from delta_share);
insert into rollup_share by name from merged order by hour, share, tool_name;

create or replace temp table merged as
select
    day,
    share,
    is_whole,
    tool_name,
    name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    sum(n_clusters)::bigint as n_clusters,
    sum(yy)::bigint as yy,
    sum(ym)::bigint as ym,
    sum(mm)::bigint as mm
from (
    from rollup_share_day
    where day in (select day from delta_share_day)
    union all
    from delta_share_day
)
group by day, share, is_whole, tool_name, name
having sum(n) <> 0;
delete from rollup_share_day where day in (select day from delta_share_day);
insert into rollup_share_day by name from merged order by day, share, tool_name;

create or replace temp table merged as
select
    hour,
    reason,
    n_steps,
    is_repeating,
    sum(n)::bigint as n
from (
    from rollup_task
    where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_task)
    union all
    from delta_task
)
group by hour, reason, n_steps, is_repeating
having sum(n) <> 0;
delete from rollup_task where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_task);
insert into rollup_task by name from merged order by hour, reason, n_steps;

create or replace temp table merged as
select
    hour,
    kind,
    name,
    value,
    sum(n)::bigint as n
from (
    from rollup_seen
    where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_seen)
    union all
    from delta_seen
)
group by hour, kind, name, value
having sum(n) <> 0;
delete from rollup_seen where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_seen);
insert into rollup_seen by name from merged order by kind, hour, name, value;

create or replace temp table merged as
select
    hour,
    status,
    error_type,
    call_error_types,
    fault_signs,
    sum(n)::bigint as n
from (
    from rollup_alike
    where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_alike)
    union all
    from delta_alike
)
group by hour, status, error_type, call_error_types, fault_signs
having sum(n) <> 0;
delete from rollup_alike where coalesce(hour, -1) in (select coalesce(hour, -1) from delta_alike);
insert into rollup_alike by name from merged order by hour;
