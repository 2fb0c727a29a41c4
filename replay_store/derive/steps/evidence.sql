-- d_evidence: every sign of a call in the chosen traces, numbered in the order in which it was given:
-- by trace, by start of its span, by its place in it. Later steps compare these numbers.
create or replace temp table d_evidence as
with signs as (
    select
        call_evidence.* exclude (trace_id, arguments, result, received_time_ns),
        d_span.trace_id,
        d_span.own_trace_id,
        left(call_evidence.arguments, 500) as arguments_preview,
        left(call_evidence.result, 500) as result_preview,
        d_span.start_time_ns,
        d_span.end_time_ns,
        d_span.duration_ns,
        d_span.hour,
        d_span.lat_bucket,
        d_span.record_index
    from call_evidence
    inner join d_span
        on call_evidence.trace_id = d_span.own_trace_id
        and call_evidence.span_id = d_span.span_id
    where (call_evidence.record_hash = d_span.record_hash or call_evidence.is_from_log)
        and (
            call_evidence.received_time_ns between $first_ns and $last_ns
            or call_evidence.received_time_ns between $known_first_ns and $known_last_ns
        )
)

select
    row_number() over (
        order by
            trace_id,
            start_time_ns nulls last,
            attempt nulls last,
            record_index,
            span_id,
            position
    ) as evidence_no,
    signs.*
from signs
