-- What the majority says of a decision, said once, and the decision that it is about.

-- One row a decision that somebody labelled: 1 where the majority of n_votes decides (half of them decide
-- nothing), and what it says. A call_index of -1 is a decision to call nothing.
create or replace view vote as
with counted as (
    select
        source,
        trace_id,
        turn_index,
        call_index,
        max(inclusion_probability) as inclusion_probability,
        sum(is_judge) as n_judges,
        sum(case when label <> 'CANT_TELL' then is_judge else 0 end) as n_votes,
        sum(is_judge * is_selection_ok) as n_selection_ok,
        sum(is_judge * is_call_ok) as n_call_ok
    from ballot
    group by source, trace_id, turn_index, call_index
)

select
    source,
    trace_id,
    turn_index,
    call_index,
    inclusion_probability,
    n_judges,
    n_votes,
    n_selection_ok,
    n_call_ok,
    (2 * n_selection_ok <> n_votes)::integer as has_selection,
    (2 * n_selection_ok > n_votes)::integer as is_selection_ok,
    (2 * n_call_ok <> n_votes)::integer as has_call,
    (2 * n_call_ok > n_votes)::integer as is_call_ok
from counted;

-- Votes beside the decision that they are about, placed at its time or that of its trace, with why it
-- does not count ('counted': it does; then it has a verdict unless annotators are tied). Only decisions
-- of labelled traces are read: they are few.
create view judged_decision as
with labelled_decision as (
    select
        trace_id,
        turn_index,
        coalesce(call_index, -1) as call_index,
        decision_id,
        tool_name,
        contract_version,
        model,
        agent_name,
        is_pseudo,
        time_ns
    from decision
    where trace_id in (select label.trace_id from label)
),

labelled_trace as (
    select
        trace_id,
        start_time_ns
    from trace
    where trace_id in (select label.trace_id from label)
),

placed as (
    select
        vote.*,
        labelled_decision.decision_id,
        labelled_decision.tool_name,
        labelled_decision.contract_version,
        labelled_decision.model,
        labelled_decision.agent_name,
        labelled_decision.is_pseudo,
        labelled_decision.trace_id is null as is_missing,
        coalesce(labelled_decision.time_ns, labelled_trace.start_time_ns) as placed_time_ns
    from vote
    left join labelled_decision
        on vote.trace_id = labelled_decision.trace_id
        and vote.turn_index = labelled_decision.turn_index
        and vote.call_index = labelled_decision.call_index
    left join labelled_trace
        on labelled_decision.trace_id = labelled_trace.trace_id
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
