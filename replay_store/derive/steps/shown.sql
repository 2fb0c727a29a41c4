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
        retry_of,
        max(case when status = 'ok' then call_index end) over (
            partition by trace_id, tool_name
        ) as last_answered,
        min(case when status = 'ok' and not is_pseudo then call_index end) over (
            partition by trace_id, tool_name, arguments_hash
        ) as first_answered
    from tool_call_open
    semi join chosen using (trace_id)
),

shown as (
    select
        call.trace_id,
        call.tool_name,
        call.error_type,
        [
            case
                when call.status = 'error'
                    and not call.is_pseudo
                    and coalesce(call.last_answered <= call.call_index, true)
                    then error_sign(call.error_type)
            end,
            case when call.degradation is not null and not call.is_pseudo then 'degraded' end,
            case
                when call.retry_of is null
                    and call.arguments_hash is not null
                    and call.call_index > call.first_answered
                    then 'repeated_call'
            end,
            case when is_final_error(earlier.error_type) then 'futile_retry' end
        ] as signs
    from call
    left join call as earlier
        on call.trace_id = earlier.trace_id
        and call.retry_of = earlier.call_index
        and call.arguments_hash = earlier.arguments_hash
    union all
    select
        trace_id,
        null,
        null,
        ['blocked']
    from guard_evaluation_open
    semi join chosen using (trace_id)
    where is_hit
        and not is_synthetic
    union all
    select
        trace_id,
        null,
        null,
        ['not_offered']
    from decision_open
    semi join chosen using (trace_id)
    where is_offered = false
        and not is_pseudo
    union all
    select
        own_trace_id,
        null,
        null,
        ['cut_answer']
    from d_called
    where lower(finish_reason) in ('length', 'max_tokens')
    union all
    select
        own_trace_id,
        null,
        null,
        ['model_error']
    from d_span
    where role = 'model'
        and is_error
    union all
    select
        observation.trace_id,
        null,
        null,
        [
            case when observation.n_conflicts > 0 then 'conflict' end,
            case when observation.n_unknown > 0 then 'unknown_value' end,
            case when observation.n_unparsed > 0 then 'unparsed' end,
            case when observation.n_noise_hit > 0 then 'noise' end
        ]
    from observation
    semi join d_span
        on observation.trace_id = d_span.own_trace_id
        and d_span.role = 'observation'
)

select
    trace_id,
    list_sort(list_distinct(list(tool_name))) as tool_names,
    list_sort(list_distinct(list(error_type))) as call_error_types,
    list_sort(list_distinct(flatten(list(signs)))) as fault_signs
from shown
group by trace_id
