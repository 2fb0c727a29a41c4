-- The newest version of each replay case that passes, by case id. Empty lists and NULL let all pass.
select
    case_id,
    record_hash,
    case_kind,
    hex_trace(trace_id) as trace_id,
    tool_names,
    is_retired,
    time_ns,
    body,
    file_id,
    record_index,
    received_time_ns
from (
    select *
    from replay_case
    qualify row_number() over (
        partition by case_id
        order by received_time_ns desc, time_ns desc nulls last, record_index desc
    ) = 1
) as newest
where (len($kinds::varchar[]) = 0 or list_contains($kinds::varchar[], case_kind))
    and (len($case_ids::varchar[]) = 0 or list_contains($case_ids::varchar[], case_id))
    and ($tool_name is null or list_contains(tool_names, $tool_name))
    and ($trace_id is null or newest.trace_id = $trace_id::uuid)
    and ($has_retired or not is_retired)
order by case_id
