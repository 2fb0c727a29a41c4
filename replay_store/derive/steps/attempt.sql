-- d_attempt: the tries beneath each run: its attempt spans where there are any, else the run itself.
create or replace temp table d_attempt as
with tries as (
    select
        d_span.*,
        call_evidence.status,
        call_evidence.error_type as try_error_type,
        call_evidence.attempt
    from call_evidence
    inner join d_span
        on call_evidence.trace_id = d_span.trace_id
        and call_evidence.span_id = d_span.span_id
        and call_evidence.record_hash = d_span.record_hash
    where call_evidence.evidence = 'attempt'
),

owned as (
    select
        d_execution.execution_no,
        tries.span_id,
        tries.start_time_ns,
        tries.end_time_ns,
        tries.duration_ns,
        tries.hour,
        tries.lat_bucket,
        tries.status,
        tries.try_error_type as error_type,
        tries.attempt
    from tries
    inner join d_lineage
        on tries.trace_id = d_lineage.trace_id
        and tries.span_id = d_lineage.span_id
    inner join d_execution
        on d_lineage.trace_id = d_execution.trace_id
        and d_lineage.ancestor_id = d_execution.span_id
    qualify row_number() over (
        partition by tries.trace_id, tries.span_id
        order by d_lineage.generation
    ) = 1
)

select *
from owned
union all
select
    execution_no,
    span_id,
    start_time_ns,
    end_time_ns,
    duration_ns,
    hour,
    lat_bucket,
    status,
    error_type,
    1 as attempt
from d_execution
anti join owned using (execution_no)
