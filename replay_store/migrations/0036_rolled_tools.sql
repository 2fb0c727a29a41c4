-- What is asked of one tool, in rollups; those of what is sealed are filled by the views of 0034 and 0035.

-- By hour; the rows of one tool in an hour lie together.
create table rollup_tool_count (
    hour integer,
    tool_name varchar not null,
    counted varchar not null,
    name varchar not null,
    kind varchar not null,
    n bigint not null
);
-- Durations of attempts too, in stretches of an hour and of a day.
alter table rollup_tool_time add column counted varchar default 'call';

-- What is sealed is told by the same views: for a moment it stands where they look.
alter table trace_open rename to trace_aside;
alter table tool_call_open rename to tool_call_aside;
alter table attempt_open rename to attempt_aside;
alter table decision_open rename to decision_aside;
alter table guard_evaluation_open rename to guard_evaluation_aside;
alter table trace_sealed rename to trace_open;
alter table tool_call_sealed rename to tool_call_open;
alter table attempt_sealed rename to attempt_open;
alter table decision_sealed rename to decision_open;
alter table guard_evaluation_sealed rename to guard_evaluation_open;

insert into rollup_tool_count by name
select
    hour,
    tool_name,
    counted,
    name,
    kind,
    sum(n)::bigint as n
from open_tool_count
group by all
order by hour, tool_name, counted;

insert into rollup_tool_time by name
select
    n_hours,
    hour - hour % n_hours as hour,
    counted,
    tool_name,
    latency_bucket(duration_ns) as lat_bucket,
    count(*) as n
from open_time
cross join (values (1::smallint), (24::smallint)) as stretch (n_hours)
where counted = 'attempt'
group by all
order by n_hours, hour, tool_name, lat_bucket;

create temp table evaluated as
select
    trace_id,
    hour,
    tool_name,
    n,
    numerator,
    min(hour) over (partition by trace_id) < max(hour) over (partition by trace_id) as is_crossing,
    min(hour // 24) over (partition by trace_id) < max(hour // 24) over (partition by trace_id)
        as is_of_days
from open_share
where share = 'guard_of_tool';
insert into rollup_crossing by name
select
    trace_id,
    hour,
    is_of_days,
    'guard_of_tool' as share,
    tool_name,
    n,
    numerator
from evaluated
where is_crossing;
insert into rollup_share by name
select
    hour,
    'guard_of_tool' as share,
    false as is_whole,
    tool_name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    count(*) as n_clusters,
    sum(numerator * numerator)::bigint as yy,
    sum(numerator * n)::bigint as ym,
    sum(n * n)::bigint as mm
from evaluated
where not is_crossing
group by hour, tool_name
order by hour, tool_name;
insert into rollup_share_day by name
with daily as (
    select
        hour // 24 as day,
        trace_id,
        tool_name,
        sum(n)::bigint as n,
        sum(numerator)::bigint as numerator
    from evaluated
    where not is_of_days
    group by all
)

select
    day,
    'guard_of_tool' as share,
    false as is_whole,
    tool_name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    count(*) as n_clusters,
    sum(numerator * numerator)::bigint as yy,
    sum(numerator * n)::bigint as ym,
    sum(n * n)::bigint as mm
from daily
group by day, tool_name
order by day, tool_name;
drop table evaluated;

alter table trace_open rename to trace_sealed;
alter table tool_call_open rename to tool_call_sealed;
alter table attempt_open rename to attempt_sealed;
alter table decision_open rename to decision_sealed;
alter table guard_evaluation_open rename to guard_evaluation_sealed;
alter table trace_aside rename to trace_open;
alter table tool_call_aside rename to tool_call_open;
alter table attempt_aside rename to attempt_open;
alter table decision_aside rename to decision_open;
alter table guard_evaluation_aside rename to guard_evaluation_open;
