-- d_request: calls that answered model turns asked for, each call id once, named by their evidence;
-- and what the model was shown as the answer, first showing only (later turns repeat the whole
-- history).
create or replace temp table d_request as
with asked as (
    select min(d_evidence.evidence_no) as request_no
    from d_evidence
    semi join d_turn using (trace_id, span_id)
    where d_evidence.evidence = 'request'
    group by
        d_evidence.trace_id,
        d_evidence.tool_call_id,
        case when d_evidence.tool_call_id is null then d_evidence.evidence_no end
),

answered as (
    select
        trace_id,
        tool_call_id,
        min(evidence_no) as answer_no
    from d_evidence
    where evidence = 'answer'
        and tool_call_id is not null
    group by trace_id, tool_call_id
)

select
    asked.request_no,
    answered.answer_no,
    d_evidence.trace_id,
    d_evidence.own_trace_id,
    d_evidence.span_id as llm_span_id,
    d_turn.turn_index,
    d_turn.answered_time_ns,
    d_turn.agent_name as turn_agent_name,
    d_evidence.position,
    d_evidence.tool_call_id,
    coalesce(d_evidence.tool_name, '') as tool_name,
    d_evidence.arguments_hash
from asked
inner join d_evidence
    on asked.request_no = d_evidence.evidence_no
inner join d_turn
    on d_evidence.trace_id = d_turn.trace_id
    and d_evidence.span_id = d_turn.span_id
left join answered
    on d_evidence.trace_id = answered.trace_id
    and d_evidence.tool_call_id = answered.tool_call_id
