-- d_count, calls: how many there were, failed, and tried again.
insert into d_count by name
select
    d_call.trace_id,
    sum((not is_pseudo)::integer) as n_tool_calls,
    sum((not is_pseudo and status = 'error')::integer) as n_tool_errors,
    sum(
        case
            when is_pseudo then 0
            else (d_retry.retry_of is not null)::integer + greatest(n_attempts - 1, 0)
        end
    ) as n_retries
from d_call
left join d_retry
    on d_call.trace_id = d_retry.trace_id
    and d_call.call_index = d_retry.call_index
group by d_call.trace_id
