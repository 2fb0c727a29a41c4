-- Model calls of the chosen traces; of model spans inside model spans the outermost.
insert into model_call_open by name
select
    own_trace_id as trace_id,
    span_id,
    model,
    start_time_ns,
    end_time_ns,
    duration_ns,
    hour,
    lat_bucket
from d_called
anti join d_called as parent
    on d_called.own_trace_id = parent.own_trace_id
    and d_called.parent_span_id = parent.span_id
