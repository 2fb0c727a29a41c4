-- d_shown: what lists of traces ask of calls and signs of a fault, once a trace: the names of its tools, the
-- classes of its failed calls, and the signs that it did not recover from, as the view fault_sign says
-- them; each sorted, empty where there is none. The derived rows of the chosen traces are there already.
create or replace temp table d_shown as
with call as (
    select
        trace_id,
        call_index,
        tool_name,
        arguments_hash,
        is_pseudo,
        status,
        error_type,
        degradation,
        retry_of
    from tool_call_open
    semi join chosen using (trace_id)
),

answered as (
    select
        trace_id,
        tool_name,
        arguments_hash,
        is_pseudo,
        min(call_index) as first_index,
        max(call_index) as last_index
    from call
    where status = 'ok'
    group by trace_id, tool_name, arguments_hash, is_pseudo
),

sign as (
    select
        call.trace_id,
        error_sign(call.error_type) as sign
    from call
    anti join answered
        on call.trace_id = answered.trace_id
        and call.tool_name = answered.tool_name
        and answered.last_index > call.call_index
    where call.status = 'error'
        and not call.is_pseudo
    union all
    select
        trace_id,
        'degraded'
    from call
    where degradation is not null
        and not is_pseudo
    union all
    select
        call.trace_id,
        'repeated_call'
    from call
    semi join answered
        on call.trace_id = answered.trace_id
        and call.tool_name = answered.tool_name
        and call.arguments_hash = answered.arguments_hash
        and not answered.is_pseudo
        and call.call_index > answered.first_index
    where call.retry_of is null
    union all
    select
        call.trace_id,
        'futile_retry'
    from call
    semi join call as earlier
        on call.trace_id = earlier.trace_id
        and call.retry_of = earlier.call_index
        and call.arguments_hash = earlier.arguments_hash
        and is_final_error(earlier.error_type)
    union all
    select
        trace_id,
        'blocked'
    from guard_evaluation_open
    semi join chosen using (trace_id)
    where is_hit
        and not is_synthetic
    union all
    select
        trace_id,
        'not_offered'
    from decision_open
    semi join chosen using (trace_id)
    where is_offered = false
        and not is_pseudo
    union all
    select
        trace_id,
        'cut_answer'
    from llm_call
    semi join chosen using (trace_id)
    where lower(finish_reason) in ('length', 'max_tokens')
        and (
            received_time_ns between $first_ns and $last_ns
            or received_time_ns between $known_first_ns and $known_last_ns
        )
    union all
    select
        trace_id,
        'model_error'
    from span_role
    semi join chosen using (trace_id)
    where role = 'model'
        and is_error
        and (
            received_time_ns between $first_ns and $last_ns
            or received_time_ns between $known_first_ns and $known_last_ns
        )
    union all
    select
        observation.trace_id,
        kind.sign
    from observation
    semi join d_span
        on observation.trace_id = d_span.own_trace_id
        and d_span.role = 'observation'
    inner join (values ('conflict'), ('unknown_value'), ('unparsed'), ('noise')) as kind (sign)
        on case kind.sign
            when 'conflict' then observation.n_conflicts
            when 'unknown_value' then observation.n_unknown
            when 'unparsed' then observation.n_unparsed
            else observation.n_noise_hit
        end > 0
),

named as (
    select
        trace_id,
        tool_name,
        error_type,
        null as sign
    from call
    union all
    select
        trace_id,
        null,
        null,
        sign
    from sign
)

select
    trace_id,
    list_sort(list(distinct tool_name) filter (where tool_name is not null)) as tool_names,
    list_sort(list(distinct error_type) filter (where error_type is not null)) as call_error_types,
    list_sort(list(distinct sign) filter (where sign is not null)) as fault_signs
from named
group by trace_id
