-- d_model: a turn whose answer was told by a log record beside its span is visible, too.
update d_model set
    is_output_visible = true,
    is_told = true
from (
    select distinct
        trace_id,
        span_id
    from span_log
    semi join chosen using (trace_id)
    where event_name in ('gen_ai.choice', 'gen_ai.client.inference.operation.details')
        and (
            received_time_ns between $first_ns and $last_ns
            or received_time_ns between $known_first_ns and $known_last_ns
        )
) as said
where d_model.own_trace_id = said.trace_id
    and d_model.span_id = said.span_id
