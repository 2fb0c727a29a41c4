-- d_span: the current version of every span of the chosen traces, with its role.
-- trace_id is that of the task's head here and in every step: linked traces are read as one.
-- own_trace_id is where the span was received.
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
        received_time_ns,
        chosen.head_id
    from span
    inner join chosen using (trace_id)
    where received_time_ns between $first_ns and $last_ns
        or received_time_ns between $known_first_ns and $known_last_ns
    qualify row_number() over (
        partition by trace_id, span_id
        order by version_order(end_time_ns, received_time_ns, record_index, record_hash) desc
    ) = 1
),

roles as (
    select *
    from span_role
    semi join chosen using (trace_id)
    where received_time_ns between $first_ns and $last_ns
        or received_time_ns between $known_first_ns and $known_last_ns
)

select
    versions.* exclude (trace_id, head_id),
    versions.head_id as trace_id,
    versions.trace_id as own_trace_id,
    coalesce(roles.role, 'other') as role,
    coalesce(roles.dialects, []) as dialects,
    roles.agent_name,
    roles.session_id,
    roles.user_id,
    roles.task_id,
    roles.step_index,
    coalesce(roles.is_error, versions.status_code = 2) as is_error,
    roles.error_type,
    roles.error_message
from versions
left join roles
    on versions.trace_id = roles.trace_id
    and versions.span_id = roles.span_id
    and versions.record_hash = roles.record_hash
