-- The parts of the frame in the temp table audit_frame: how many decisions, of how many traces, how
-- many a draw with at most $per_trace of a trace can take, and how many were judged and right so far.
with held as (
    select
        tool_name,
        contract_version,
        is_suspicious,
        trace_id,
        count(*) as n,
        case
            when $per_trace is null then count(*)
            else least(count(*), $per_trace)
        end as n_most
    from audit_frame
    group by tool_name, contract_version, is_suspicious, trace_id
),

sized as (
    select
        tool_name,
        contract_version,
        is_suspicious,
        sum(n)::integer as n_frame,
        count(*)::integer as n_traces,
        sum(n_most)::integer as n_most
    from held
    group by tool_name, contract_version, is_suspicious
),

judged as (
    select
        audit_frame.tool_name,
        audit_frame.contract_version,
        audit_frame.is_suspicious,
        count(*)::integer as n_judged,
        sum(vote.is_selection_ok)::integer as n_right
    from audit_frame
    inner join vote
        on audit_frame.trace_id = vote.trace_id
        and audit_frame.turn_index = vote.turn_index
        and coalesce(audit_frame.call_index, -1) = vote.call_index
    where vote.source = 'audit'
        and vote.has_selection = 1
    group by audit_frame.tool_name, audit_frame.contract_version, audit_frame.is_suspicious
)

select
    (
        row_number() over (
            order by sized.tool_name, sized.contract_version, sized.is_suspicious
        ) - 1
    )::integer as stratum,
    sized.tool_name,
    sized.contract_version,
    sized.is_suspicious,
    sized.n_frame,
    sized.n_traces,
    sized.n_most,
    coalesce(judged.n_judged, 0) as n_judged,
    coalesce(judged.n_right, 0) as n_right
from sized
left join judged
    on sized.tool_name is not distinct from judged.tool_name
    and sized.contract_version is not distinct from judged.contract_version
    and sized.is_suspicious is not distinct from judged.is_suspicious
order by stratum
