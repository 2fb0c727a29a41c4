-- What became of calls that becomes of few. Calls whose arguments are not known may be equal ones.
select 'calls_failed' as fact
from d_call
where status = 'error' or is_rejected
union
select 'calls_blocked'
from d_call
where status = 'blocked'
union
select 'calls_attempted'
from d_call
where n_attempts > 1
union
select 'calls_repeated'
from d_call
where not is_pseudo
group by trace_id, tool_name, arguments_hash
having count(*) > 1 or arguments_hash is null
