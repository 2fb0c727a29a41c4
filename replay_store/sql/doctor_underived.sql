-- Traces: each that has spans has a derived row, unless that is still to come; and without spans, or
-- without that row, nothing is derived.
with received as (
    select distinct trace_id
    from span
),

derived as (
    select trace_id from tool_call
    union
    select trace_id from attempt
    union
    select trace_id from decision
    union
    select trace_id from guard_evaluation
    union
    select trace_id from model_call
    union
    select trace_id from call_retry
),

waiting as (
    select distinct trace_id
    from dirty_trace
)

select
    trace_id,
    hex_trace(trace_id) as example,
    waiting.trace_id is null and (received.trace_id is null or trace.trace_id is null) as is_wrong
from received
full join trace using (trace_id)
full join derived using (trace_id)
left join waiting using (trace_id)
