-- d_turn: model calls that were answered, numbered within their trace: the turns.
create or replace temp table d_turn as
select
    d_span.trace_id,
    d_span.span_id,
    row_number() over (
        partition by d_span.trace_id
        order by d_span.start_time_ns nulls last, d_span.record_index, d_span.span_id
    ) - 1 as turn_index,
    d_span.start_time_ns,
    d_span.end_time_ns,
    d_span.hour,
    coalesce(d_span.end_time_ns, d_span.start_time_ns) as answered_time_ns,
    d_span.agent_name,
    coalesce(llm_call.response_model, llm_call.request_model) as model,
    llm_call.input_tokens,
    llm_call.output_tokens,
    llm_call.cached_input_tokens,
    llm_call.catalogue_hash,
    llm_call.is_output_visible
from d_span
inner join llm_call
    on d_span.trace_id = llm_call.trace_id
    and d_span.span_id = llm_call.span_id
    and d_span.record_hash = llm_call.record_hash
where d_span.role = 'model'
    and not d_span.is_error
    and (
        llm_call.received_time_ns between $first_ns and $last_ns
        or llm_call.received_time_ns between $known_first_ns and $known_last_ns
    )
