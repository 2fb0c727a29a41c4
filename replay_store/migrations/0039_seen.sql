-- What was seen, in rollups: which versions, models, catalogues, tools, classes of errors, agents and ends
-- there are is asked by every list to choose from, and took a look at every row.

-- By hour, which only what is asked for by time has. `name` is the tool of a version.
create table rollup_seen (
    hour integer,
    kind varchar not null,
    name varchar not null,
    value varchar not null,
    n bigint not null
);

create view open_seen as
select
    trace_id,
    (start_time_ns // 3600000000000)::integer as hour,
    'contract' as kind,
    tool_name as name,
    contract_version as value
from tool_call_open
where contract_version is not null
    and start_time_ns is not null
union all
select
    trace_id,
    (time_ns // 3600000000000)::integer as hour,
    'model' as kind,
    '' as name,
    model as value
from decision_open
where model is not null
    and time_ns is not null
union all
select
    trace_id,
    hour,
    'catalogue' as kind,
    '' as name,
    catalogue_hash::varchar as value
from decision_open
where catalogue_hash is not null
union all
select
    trace_id,
    null as hour,
    'tool' as kind,
    '' as name,
    tool_name as value
from tool_call_open
where not is_pseudo
union all
select
    trace_id,
    null as hour,
    'error' as kind,
    '' as name,
    unnest(call_error_types) as value
from trace_open
union all
select
    trace_id,
    null as hour,
    'agent' as kind,
    '' as name,
    agent_name as value
from trace_open
where agent_name is not null
union all
select
    trace_id,
    null as hour,
    'status' as kind,
    '' as name,
    status as value
from trace_open;

-- All that is sealed and open, put together.
create view seen as
select
    hour,
    kind,
    name,
    value,
    sum(n)::bigint as n
from (
    from rollup_seen
    union all
    select
        hour,
        kind,
        name,
        value,
        count(*) as n
    from open_seen
    group by all
)
group by all;

-- What is sealed is told by the same view: for a moment it stands where that looks.
alter table trace_open rename to trace_aside;
alter table tool_call_open rename to tool_call_aside;
alter table decision_open rename to decision_aside;
alter table trace_sealed rename to trace_open;
alter table tool_call_sealed rename to tool_call_open;
alter table decision_sealed rename to decision_open;
insert into rollup_seen by name
select
    hour,
    kind,
    name,
    value,
    count(*) as n
from open_seen
group by all
order by kind, hour, name, value;
alter table trace_open rename to trace_sealed;
alter table tool_call_open rename to tool_call_sealed;
alter table decision_open rename to decision_sealed;
alter table trace_aside rename to trace_open;
alter table tool_call_aside rename to tool_call_open;
alter table decision_aside rename to decision_open;
