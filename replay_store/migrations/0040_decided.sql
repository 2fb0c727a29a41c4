-- Decisions that somebody labelled, each where and when it was: of the sealed ones those kept apart, so that
-- no question about labels looks through all decisions. Sealed decisions are looked for only until the
-- first look after their label.
create view decided as
with unseen as (
    select label.trace_id
    from label
    anti join labelled_trace using (trace_id)
),

unseen_trace as (
    select
        trace_id,
        start_time_ns
    from trace_sealed
    where trace_id in (select unseen.trace_id from unseen)
)

select
    decision_open.trace_id,
    decision_open.turn_index,
    decision_open.call_index,
    decision_open.decision_id,
    decision_open.tool_name,
    decision_open.contract_version,
    decision_open.model,
    decision_open.agent_name,
    decision_open.is_pseudo,
    coalesce(decision_open.time_ns, trace_open.start_time_ns) as placed_time_ns
from decision_open
left join trace_open using (trace_id)
where decision_open.trace_id in (select label.trace_id from label)
union all
select
    trace_id,
    turn_index,
    call_index,
    decision_id,
    tool_name,
    contract_version,
    model,
    agent_name,
    is_pseudo,
    coalesce(time_ns, trace_start_time_ns) as placed_time_ns
from labelled_decision
union all
select
    decision_sealed.trace_id,
    decision_sealed.turn_index,
    decision_sealed.call_index,
    decision_sealed.decision_id,
    decision_sealed.tool_name,
    decision_sealed.contract_version,
    decision_sealed.model,
    decision_sealed.agent_name,
    decision_sealed.is_pseudo,
    coalesce(decision_sealed.time_ns, unseen_trace.start_time_ns) as placed_time_ns
from decision_sealed
left join unseen_trace using (trace_id)
where decision_sealed.trace_id in (select unseen.trace_id from unseen);

-- Votes beside the decision that they are about, placed at its time or that of its trace, with why it
-- does not count ('counted': it does; then it has a verdict unless annotators are tied).
create or replace view judged_decision as
with placed as (
    select
        vote.*,
        decided.decision_id,
        decided.tool_name,
        decided.contract_version,
        decided.model,
        decided.agent_name,
        decided.is_pseudo,
        decided.trace_id is null as is_missing,
        decided.placed_time_ns
    from vote
    left join decided
        on vote.trace_id = decided.trace_id
        and vote.turn_index = decided.turn_index
        and vote.call_index = coalesce(decided.call_index, -1)
),

reasoned as (
    select
        *,
        case
            when is_missing then 'decision_not_stored'
            when placed_time_ns is null then 'no_start_time'
            when is_pseudo then 'pseudo_tool'
            when n_judges = 0 then 'not_human'
            when n_votes = 0 then 'cant_tell'
            else 'counted'
        end as reason
    from placed
)

select
    source,
    trace_id,
    turn_index,
    call_index,
    decision_id,
    tool_name,
    contract_version,
    model,
    agent_name,
    placed_time_ns,
    reason,
    inclusion_probability,
    1 / inclusion_probability as weight,
    case when reason = 'counted' then has_selection else 0 end as has_selection,
    is_selection_ok,
    case when reason = 'counted' then has_call else 0 end as has_call,
    is_call_ok
from reasoned;
