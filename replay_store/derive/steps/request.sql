-- d_request: calls that answered model turns asked for, each call id once; and what the model was
-- shown as the answer, first showing only (later turns repeat the whole history).
create or replace temp table d_request as
with signs as (
    select
        call_evidence.*,
        d_turn.turn_index,
        d_turn.answered_time_ns,
        d_turn.agent_name as turn_agent_name
    from call_evidence
    inner join d_span
        on call_evidence.trace_id = d_span.trace_id
        and call_evidence.span_id = d_span.span_id
        and call_evidence.record_hash = d_span.record_hash
    inner join d_turn
        on call_evidence.trace_id = d_turn.trace_id
        and call_evidence.span_id = d_turn.span_id
    where call_evidence.evidence = 'request'
    qualify call_evidence.tool_call_id is null
        or row_number() over (
            partition by call_evidence.trace_id, call_evidence.tool_call_id
            order by d_turn.turn_index, call_evidence.position
        ) = 1
),

answers as (
    select
        call_evidence.trace_id,
        call_evidence.tool_call_id,
        call_evidence.result,
        call_evidence.status,
        call_evidence.error_message,
        call_evidence.error_source
    from call_evidence
    inner join d_span
        on call_evidence.trace_id = d_span.trace_id
        and call_evidence.span_id = d_span.span_id
        and call_evidence.record_hash = d_span.record_hash
    where call_evidence.evidence = 'answer'
        and call_evidence.tool_call_id is not null
    qualify row_number() over (
        partition by call_evidence.trace_id, call_evidence.tool_call_id
        order by d_span.start_time_ns nulls last, call_evidence.position
    ) = 1
)

select
    row_number() over (order by signs.trace_id, signs.turn_index, signs.position) as request_no,
    signs.trace_id,
    signs.span_id as llm_span_id,
    signs.turn_index,
    signs.position,
    signs.answered_time_ns,
    signs.tool_call_id,
    coalesce(signs.tool_name, '') as tool_name,
    signs.namespace,
    signs.is_pseudo,
    signs.arguments,
    signs.arguments_hash,
    signs.is_arguments_valid,
    coalesce(signs.agent_name, signs.turn_agent_name) as agent_name,
    answers.tool_call_id is not null as is_answered,
    answers.result as answer,
    answers.status as answer_status,
    answers.error_message as answer_error_message,
    answers.error_source as answer_error_source
from signs
left join answers
    on signs.trace_id = answers.trace_id
    and signs.tool_call_id = answers.tool_call_id
