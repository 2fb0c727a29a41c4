-- d_evaluation: guard evaluations, each once. A span that names no verdict gives way to a hit of the
-- same rule seen elsewhere in the trace; a call whose result is the text of a block counts as a hit
-- of an unnamed rule unless an event tells of it.
create or replace temp table d_evaluation as
with events as (
    select
        guard_event.* exclude (trace_id),
        d_span.trace_id,
        d_span.own_trace_id
    from guard_event
    inner join d_span
        on guard_event.trace_id = d_span.own_trace_id
        and guard_event.span_id = d_span.span_id
        and guard_event.record_hash = d_span.record_hash
    where guard_event.received_time_ns between $first_ns and $last_ns
        or guard_event.received_time_ns between $known_first_ns and $known_last_ns
),

hits as (
    select distinct
        trace_id,
        rule
    from events
    where is_hit
),

told as (
    select
        events.trace_id,
        events.own_trace_id,
        events.span_id,
        events.time_ns,
        events.hour,
        events.rule,
        events.phase,
        events.decision,
        events.is_hit,
        events.is_synthetic,
        events.tool_name,
        events.tool_call_id,
        events.reason,
        events.evidence
    from events
    left join hits
        on events.trace_id = hits.trace_id
        and events.rule = hits.rule
    where events.decision <> 'unknown'
        or hits.trace_id is null
),

shown as (
    select
        d_call.trace_id,
        d_call.own_trace_id,
        coalesce(d_call.span_id, d_call.llm_span_id) as span_id,
        d_call.time_ns,
        (d_call.time_ns // 3600000000000)::integer as hour,
        d_call.tool_name,
        d_call.tool_call_id,
        d_call.error_message
    from d_call
    where d_call.status = 'blocked'
        and not exists (
            select 1
            from events
            where events.trace_id = d_call.trace_id
                and events.is_hit
                and (
                    events.tool_call_id = d_call.tool_call_id
                    or (
                        events.tool_name = d_call.tool_name
                        and (events.tool_call_id is null or d_call.tool_call_id is null)
                    )
                )
        )
)

select *
from told
union all
select
    trace_id,
    own_trace_id,
    span_id,
    time_ns,
    hour,
    null as rule,
    'tool_input' as phase,
    'block' as decision,
    true as is_hit,
    false as is_synthetic,
    tool_name,
    tool_call_id,
    error_message as reason,
    'result' as evidence
from shown
