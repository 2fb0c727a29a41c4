-- Tries of the calls of the chosen traces.
insert into attempt_open by name
with runs as (
    select
        d_call.own_trace_id as trace_id,
        d_call.call_index,
        coalesce(d_pair.execution_no, d_call.first_no) as execution_no
    from d_call
    left join d_pair using (request_no)
    where d_call.first_no is not null
),

tries as (
    select
        runs.trace_id,
        runs.call_index,
        coalesce(d_try.try_no, runs.execution_no) as try_no
    from runs
    left join d_try using (execution_no)
),

numbered as (
    select
        tries.*,
        row_number() over (partition by trace_id, call_index order by try_no) - 1 as attempt_index
    from tries
)

select
    numbered.trace_id,
    numbered.call_index,
    numbered.attempt_index,
    d_evidence.span_id,
    d_call.tool_name,
    d_call.caller,
    d_evidence.start_time_ns,
    d_evidence.end_time_ns,
    d_evidence.duration_ns,
    d_evidence.hour,
    d_evidence.lat_bucket,
    d_evidence.status,
    d_evidence.error_type
from numbered
inner join d_evidence
    on numbered.try_no = d_evidence.evidence_no
inner join d_call
    on numbered.trace_id = d_call.trace_id
    and numbered.call_index = d_call.call_index
