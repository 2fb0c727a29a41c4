-- What each turn chose: one row a call, or NO_CALL for a turn whose visible output asks for none.
-- A turn whose output is hidden and after which nothing ran says nothing.
insert into decision_open by name
with calls as (
    select
        trace_id,
        turn_index,
        row_number() over (partition by trace_id, turn_index order by call_index) - 1 as call_index,
        tool_name,
        tool_call_id,
        is_pseudo,
        arguments_hash,
        contract_version
    from d_call
    where turn_index is not null
),

choices as (
    select
        d_turn.own_trace_id as trace_id,
        d_turn.turn_index,
        calls.call_index,
        d_turn.span_id as llm_span_id,
        d_turn.answered_time_ns as time_ns,
        d_turn.hour,
        coalesce(calls.tool_name, 'NO_CALL') as tool_name,
        calls.tool_call_id,
        coalesce(calls.is_pseudo, false) as is_pseudo,
        calls.arguments_hash,
        d_turn.catalogue_hash,
        calls.contract_version,
        d_turn.model,
        d_turn.agent_name
    from d_turn
    left join calls
        on d_turn.trace_id = calls.trace_id
        and d_turn.turn_index = calls.turn_index
    where calls.call_index is not null
        or d_turn.is_output_visible
),

offered as (
    select distinct
        catalogue_hash,
        tool_name
    from offered_tool
    semi join d_turn using (catalogue_hash)
)

select
    choices.*,
    left(
        sha256(
            concat_ws('|', hex_trace(choices.trace_id), choices.turn_index, coalesce(choices.call_index, -1))
        ),
        32
    )::uuid as decision_id,
    case
        when choices.catalogue_hash is not null and choices.call_index is not null
            then offered.tool_name is not null
    end as is_offered
from choices
left join offered
    on choices.catalogue_hash = offered.catalogue_hash
    and choices.tool_name = offered.tool_name
