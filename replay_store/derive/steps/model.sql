-- d_called: what spans tell of model calls, answered or not.
create or replace temp table d_called as
select
    d_span.trace_id,
    d_span.own_trace_id,
    d_span.span_id,
    d_span.parent_span_id,
    d_span.record_index,
    d_span.start_time_ns,
    d_span.end_time_ns,
    d_span.duration_ns,
    d_span.hour,
    d_span.lat_bucket,
    d_span.is_error,
    d_span.agent_name,
    coalesce(llm_call.response_model, llm_call.request_model) as model,
    llm_call.response_id,
    llm_call.input_tokens,
    llm_call.output_tokens,
    llm_call.cached_input_tokens,
    llm_call.catalogue_hash,
    llm_call.finish_reason,
    llm_call.is_output_visible
from d_span
inner join llm_call
    on d_span.own_trace_id = llm_call.trace_id
    and d_span.span_id = llm_call.span_id
    and d_span.record_hash = llm_call.record_hash
where d_span.role = 'model'
    and (
        llm_call.received_time_ns between $first_ns and $last_ns
        or llm_call.received_time_ns between $known_first_ns and $known_last_ns
    );

-- d_model: those that were answered.
create or replace temp table d_model as
select
    trace_id,
    own_trace_id,
    span_id,
    record_index,
    start_time_ns,
    end_time_ns,
    hour,
    agent_name,
    model,
    response_id,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    catalogue_hash,
    is_output_visible,
    not is_output_visible
        and coalesce(lower(finish_reason) similar to '.*(tool|function).*', false) as is_asking,
    is_output_visible
        or coalesce(input_tokens, output_tokens) is not null
        or coalesce(finish_reason, response_id) is not null as is_told
from d_called
where not is_error;
