-- What each turn chose: one row a call, or NO_CALL for a turn whose visible output asks for none.
-- A turn whose output is hidden and after which nothing ran says nothing.
insert into decision_open by name
with calls as (
    select
        d_call.trace_id,
        d_call.turn_index,
        row_number() over (
            partition by d_call.trace_id, d_call.turn_index
            order by d_call.call_index
        ) - 1 as call_index,
        d_call.tool_name,
        d_call.tool_call_id,
        d_call.is_pseudo,
        d_call.arguments_hash,
        d_call.contract_version
    from d_call
    where d_call.turn_index is not null
),

chosen_none as (
    select
        d_turn.trace_id,
        d_turn.turn_index
    from d_turn
    anti join calls using (trace_id, turn_index)
    where d_turn.is_output_visible
),

choices as (
    select *
    from calls
    union all
    select
        trace_id,
        turn_index,
        null,
        'NO_CALL',
        null,
        false,
        null,
        null
    from chosen_none
)

select
    choices.trace_id,
    choices.turn_index,
    choices.call_index,
    left(
        sha256(
            concat_ws('|', hex_trace(choices.trace_id), choices.turn_index, coalesce(choices.call_index, -1))
        ),
        32
    )::uuid as decision_id,
    d_turn.span_id as llm_span_id,
    d_turn.answered_time_ns as time_ns,
    d_turn.hour,
    choices.tool_name,
    choices.tool_call_id,
    choices.is_pseudo,
    choices.arguments_hash,
    d_turn.catalogue_hash,
    case
        when d_turn.catalogue_hash is not null and choices.tool_name <> 'NO_CALL'
            then offered_tool.tool_name is not null
    end as is_offered,
    choices.contract_version,
    d_turn.model,
    d_turn.agent_name
from choices
inner join d_turn
    on choices.trace_id = d_turn.trace_id
    and choices.turn_index = d_turn.turn_index
left join (
    select distinct
        catalogue_hash,
        tool_name
    from offered_tool
    semi join d_turn using (catalogue_hash)
) as offered_tool
    on d_turn.catalogue_hash = offered_tool.catalogue_hash
    and choices.tool_name = offered_tool.tool_name
