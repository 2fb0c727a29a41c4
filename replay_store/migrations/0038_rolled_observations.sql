-- Observation health in rollups: what the sealed observations add as recorded. By a dictionary in force that has
-- read any of them again it is told from rows.

-- What is sealed is told by the views of 0037: for a moment it stands where they look.
alter table observed_open rename to observed_aside;
alter table observed_sealed rename to observed_open;

insert into rollup_count by name
select
    hour,
    counted,
    tool_name,
    name,
    kind,
    sum(n)::bigint as n
from open_count
where counted in ('observation', 'parse')
group by all
order by hour, counted;

create temp table timed as
select
    hour,
    counted,
    latency_bucket(duration_ns) as lat_bucket,
    count(*)::bigint as n,
    sum(duration_ns)::bigint as total_ns
from open_time
where counted = 'parse'
group by all;
insert into rollup_time by name
from timed
order by hour, lat_bucket;
insert into rollup_time_day by name
select
    hour // 24 as day,
    counted,
    lat_bucket,
    sum(n)::bigint as n,
    sum(total_ns)::bigint as total_ns
from timed
group by all
order by day, lat_bucket;
drop table timed;

create temp table seen as
select
    *,
    min(hour) over of_trace < max(hour) over of_trace
        or bool_or(is_outsized(share, n, numerator)) over of_trace as is_crossing,
    min(hour // 24) over of_trace < max(hour // 24) over of_trace
        or bool_or(is_outsized(share, n, numerator)) over of_trace as is_of_days
from open_share
where share in ('conflict', 'unknown', 'confidence', 'noise')
window of_trace as (partition by trace_id, share);
insert into rollup_crossing by name
select * exclude (is_crossing)
from seen
where is_crossing;
insert into rollup_share by name
select
    hour,
    share,
    true as is_whole,
    '' as tool_name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    count(*) as n_clusters,
    sum(squared(share, numerator)::bigint)::bigint as yy,
    sum(numerator * n)::bigint as ym,
    sum(n * n)::bigint as mm
from seen
where not is_crossing
group by hour, share
order by hour, share;
insert into rollup_share_day by name
with daily as (
    select
        hour // 24 as day,
        trace_id,
        share,
        sum(n)::bigint as n,
        sum(numerator)::bigint as numerator
    from seen
    where not is_of_days
    group by all
)

select
    day,
    share,
    true as is_whole,
    '' as tool_name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    count(*) as n_clusters,
    sum(squared(share, numerator)::bigint)::bigint as yy,
    sum(numerator * n)::bigint as ym,
    sum(n * n)::bigint as mm
from daily
group by day, share
order by day, share;
drop table seen;

alter table observed_open rename to observed_sealed;
alter table observed_aside rename to observed_open;
