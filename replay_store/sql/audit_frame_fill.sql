-- The frame of a draw, one row a decision of the period that is not pseudo, with the part of the
-- frame it lies in. A part that is not told apart is NULL; '' is a decision without a version.
-- Suspicious: the chosen tool was not on offer, its call failed, was blocked, broke its contract or
-- repeats another call, or the run failed.
create or replace temp table audit_frame as
with framed as (
    select
        decision.*,
        trace.status as trace_status
    from decision
    left join trace on decision.trace_id = trace.trace_id
    where not decision.is_pseudo
        and coalesce(decision.time_ns, trace.start_time_ns) >= $start_time_ns
        and coalesce(decision.time_ns, trace.start_time_ns) < $end_time_ns
        and ($tool_name is null or decision.tool_name = $tool_name)
),

calls as (
    select
        trace_id,
        turn_index,
        status in ('error', 'blocked')
            or is_arguments_valid is false
            or retry_of is not null as is_suspicious,
        row_number() over (partition by trace_id, turn_index order by call_index) - 1 as index_in_turn
    from tool_call
    semi join framed using (trace_id)
    where $by_suspicion
        and turn_index is not null
)

select
    framed.trace_id,
    framed.turn_index,
    framed.call_index,
    framed.decision_id,
    case
        when $per_trace is null then framed.decision_id
        else framed.trace_id
    end as unit_id,
    case when $by_tool then framed.tool_name end as tool_name,
    case when $by_version then coalesce(framed.contract_version, '') end as contract_version,
    case
        when $by_suspicion
            then framed.is_offered is false
                or framed.trace_status is not distinct from 'error'
                or coalesce(calls.is_suspicious, false)
    end as is_suspicious
from framed
left join calls
    on framed.trace_id = calls.trace_id
    and framed.turn_index = calls.turn_index
    and framed.call_index = calls.index_in_turn
