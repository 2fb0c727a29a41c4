-- d_span: the current version of every span of the chosen traces, with its role.
create or replace temp table d_span as
with versions as (
    select
        trace_id,
        span_id,
        parent_span_id,
        record_hash,
        name,
        start_time_ns,
        end_time_ns,
        duration_ns,
        hour,
        lat_bucket,
        status_code,
        service_name,
        record_index,
        received_time_ns
    from span
    semi join chosen using (trace_id)
    qualify row_number() over (
        partition by trace_id, span_id
        order by
            end_time_ns is not null desc,
            end_time_ns desc,
            received_time_ns desc,
            record_index desc
    ) = 1
)

select
    versions.*,
    coalesce(span_role.role, 'other') as role,
    coalesce(span_role.dialects, []) as dialects,
    span_role.agent_name,
    span_role.session_id,
    span_role.user_id,
    span_role.task_id,
    span_role.step_index,
    coalesce(span_role.is_error, versions.status_code = 2) as is_error,
    span_role.error_type,
    span_role.error_message
from versions
left join span_role
    on versions.trace_id = span_role.trace_id
    and versions.span_id = span_role.span_id
    and versions.record_hash = span_role.record_hash
