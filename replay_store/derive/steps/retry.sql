-- d_retry: which call tries a failed one again. B retries A when both are of one tool and one agent,
-- A is the last call of that tool before B, A failed (a block is no failure) or was rejected (its
-- arguments were not valid, or it never ran where others did), B lies at most three calls after it, and B was asked for in a later turn or, without turns, began after A ended.
insert into d_retry by name
with previous as (
    select
        trace_id,
        call_index,
        tool_name,
        coalesce(agent_name, '') as agent_name,
        turn_index,
        arguments_hash,
        start_time_ns,
        lag(call_index) over by_tool as before_index,
        lag(status) over by_tool as before_status,
        lag(is_rejected) over by_tool as is_before_rejected,
        lag(turn_index) over by_tool as before_turn_index,
        lag(end_time_ns) over by_tool as before_end_ns,
        lag(arguments_hash) over by_tool as before_hash,
        lag(is_retry_announced) over by_tool as is_announced
    from d_call
    where not is_pseudo
    window by_tool as (
        partition by trace_id, coalesce(agent_name, ''), tool_name
        order by call_index
    )
),

judged as (
    select
        *,
        case
            when (before_status = 'error' or (is_before_rejected and before_status <> 'blocked'))
                and call_index - before_index <= 3
                and coalesce(turn_index > before_turn_index, start_time_ns >= before_end_ns, true)
                then before_index
        end as retry_of
    from previous
)

select
    trace_id,
    call_index,
    retry_of,
    max(case when retry_of is null then call_index end) over (
        partition by trace_id, agent_name, tool_name
        order by call_index
        rows between unbounded preceding and current row
    ) as retry_root,
    case
        when retry_of is null then null
        when is_announced then 'explicit'
        when arguments_hash is null or before_hash is null then 'inferred'
        when arguments_hash = before_hash then 'identical'
        else 'corrected'
    end as retry_kind
from judged
