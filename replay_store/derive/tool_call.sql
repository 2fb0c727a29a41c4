-- Logical calls of the chosen traces.
insert into tool_call_open by name
select
    d_call.own_trace_id as trace_id,
    d_call.trace_id as head_trace_id,
    d_call.call_index,
    d_call.turn_index,
    d_call.span_id,
    d_call.llm_span_id,
    d_call.tool_call_id,
    d_call.tool_name,
    d_call.namespace,
    d_call.is_pseudo,
    d_call.is_executed,
    d_call.agent_name,
    d_call.caller,
    d_call.contract_version,
    d_call.step_index,
    d_call.arguments_hash,
    d_call.is_arguments_valid,
    d_call.arguments_preview,
    d_call.result_preview,
    d_call.start_time_ns,
    d_call.end_time_ns,
    d_call.duration_ns,
    (d_call.time_ns // 3600000000000)::integer as hour,
    case
        when d_call.duration_ns < 1000 then 0
        else floor(ln(d_call.duration_ns / 1000) / 0.0198026)::smallint
    end as lat_bucket,
    d_call.status,
    case when d_call.status in ('error', 'blocked') then d_call.error_type end as error_type,
    case when d_call.status in ('error', 'blocked') then d_call.error_message end as error_message,
    case when d_call.status in ('error', 'blocked') then d_call.error_source end as error_source,
    d_call.n_attempts,
    d_retry.retry_of,
    coalesce(d_retry.retry_root, d_call.call_index) as retry_root,
    d_retry.retry_kind,
    d_call.idempotency_key,
    d_call.degradation
from d_call
left join d_retry
    on d_call.trace_id = d_retry.trace_id
    and d_call.call_index = d_retry.call_index
