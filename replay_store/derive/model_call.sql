-- Model calls of the chosen traces; of model spans inside model spans the outermost.
insert into model_call_open by name
with called as (
    select
        d_span.own_trace_id as trace_id,
        d_span.span_id,
        d_span.parent_span_id,
        coalesce(llm_call.response_model, llm_call.request_model) as model,
        d_span.start_time_ns,
        d_span.end_time_ns,
        d_span.duration_ns,
        d_span.hour,
        d_span.lat_bucket
    from d_span
    inner join llm_call
        on d_span.own_trace_id = llm_call.trace_id
        and d_span.span_id = llm_call.span_id
        and d_span.record_hash = llm_call.record_hash
    where d_span.role = 'model'
        and (
            llm_call.received_time_ns between $first_ns and $last_ns
            or llm_call.received_time_ns between $known_first_ns and $known_last_ns
        )
)

select called.* exclude (parent_span_id)
from called
anti join called as parent
    on called.trace_id = parent.trace_id
    and called.parent_span_id = parent.span_id
