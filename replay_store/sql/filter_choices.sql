-- What the store holds to choose from: kind, value, how often (of errors, in how many traces); most
-- frequent first.
with counted as (
    select 'tool' as kind, tool_name as value, count(*) as n
    from tool_call
    where not is_pseudo
    group by tool_name
    union all
    select 'error', error_type, count(*)
    from (
        select unnest(call_error_types) as error_type
        from trace
    ) as failed
    group by error_type
    union all
    select 'agent', agent_name, count(*)
    from trace
    where agent_name is not null
    group by agent_name
    union all
    select 'status', status, count(*)
    from trace
    group by status
)

select
    kind,
    value
from counted
order by kind, n desc, value
