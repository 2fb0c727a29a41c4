-- d_count, calls: how many there were, failed, and tried again. Failures are not visible where calls
-- were asked for and no run and no answer of any of the task was seen. A task is left open when its
-- last turn asked for calls of which nothing was seen to come.
insert into d_count by name
with judged as (
    select
        *,
        bool_or(is_judged and not is_pseudo) over (partition by trace_id)
            or bool_and(is_pseudo) over (partition by trace_id) as is_any_judged,
        bool_and(is_passed or not (is_judged or is_pseudo)) over (partition by trace_id)
            and bool_or(status = 'pending') over (partition by trace_id) as is_left_open
    from d_call
)

select
    judged.own_trace_id as trace_id,
    sum((not is_pseudo)::integer) as n_tool_calls,
    case
        when bool_and(is_any_judged) then sum((not is_pseudo and status = 'error')::integer)
    end as n_tool_errors,
    case
        when bool_and(is_any_judged)
            then sum(
                case
                    when is_pseudo then 0
                    else (d_retry.retry_of is not null)::integer + greatest(n_attempts - 1, 0)
                end
            )
    end as n_retries,
    not bool_and(is_any_judged) as is_outcome_hidden,
    bool_or(is_left_open) as is_left_open
from judged
left join d_retry
    on judged.trace_id = d_retry.trace_id
    and judged.call_index = d_retry.call_index
group by judged.own_trace_id
