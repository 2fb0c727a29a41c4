-- What the cases of the judged runs expect, by trace; a run's own expectations go before its case's.
-- Only cases that tell everything that is right: where more calls may be right, none is judged wrong.
with own as (
    select distinct trace_id
    from expectation
    where trace_id is not null
),

run as (
    select distinct
        trace_id,
        case_id
    from case_run
),

meant as (
    select
        trace_id,
        * exclude (trace_id)
    from expectation
    where trace_id is not null
    union all
    select
        run.trace_id,
        expectation.* exclude (trace_id)
    from expectation
    inner join run using (case_id)
    where expectation.trace_id is null
        and run.trace_id not in (select own.trace_id from own)
)

select
    hex_trace(trace_id) as trace_id,
    tool_name,
    arguments,
    arguments_hash,
    match,
    file_id,
    received_time_ns
from meant
where is_complete
order by trace_id, turn nulls first, call_index
