-- d_model: model calls that were answered, as their spans tell of them.
create or replace temp table d_model as
select
    d_span.trace_id,
    d_span.own_trace_id,
    d_span.span_id,
    d_span.record_index,
    d_span.start_time_ns,
    d_span.end_time_ns,
    d_span.hour,
    d_span.agent_name,
    coalesce(llm_call.response_model, llm_call.request_model) as model,
    llm_call.response_id,
    llm_call.input_tokens,
    llm_call.output_tokens,
    llm_call.cached_input_tokens,
    llm_call.catalogue_hash,
    llm_call.is_output_visible,
    not llm_call.is_output_visible
        and coalesce(lower(llm_call.finish_reason) similar to '.*(tool|function).*', false) as is_asking,
    llm_call.is_output_visible
        or coalesce(llm_call.input_tokens, llm_call.output_tokens) is not null
        or coalesce(llm_call.finish_reason, llm_call.response_id) is not null as is_told
from d_span
inner join llm_call
    on d_span.own_trace_id = llm_call.trace_id
    and d_span.span_id = llm_call.span_id
    and d_span.record_hash = llm_call.record_hash
where d_span.role = 'model'
    and not d_span.is_error
    and (
        llm_call.received_time_ns between $first_ns and $last_ns
        or llm_call.received_time_ns between $known_first_ns and $known_last_ns
    )
