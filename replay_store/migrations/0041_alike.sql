-- Traces that are alike in what lists of traces count, by the hour of their start: found from traces, the
-- counts of a month hashed every trace's lists.
create table rollup_alike (
    hour integer,
    status varchar not null,
    error_type varchar,
    call_error_types varchar[],
    fault_signs varchar[],
    n bigint not null
);

create view open_alike as
select
    trace_id,
    (start_time_ns // 3600000000000)::integer as hour,
    status,
    error_type,
    call_error_types,
    fault_signs
from trace_open;

insert into rollup_alike by name
select
    (start_time_ns // 3600000000000)::integer as hour,
    status,
    error_type,
    call_error_types,
    fault_signs,
    count(*) as n
from trace_sealed
group by all
order by hour;
