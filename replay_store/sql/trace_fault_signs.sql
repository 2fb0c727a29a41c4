-- The signs of a fault in the trace $trace_id, in the order of its calls, then by kind. What it tells of
-- happened or arrived between $from_ns and $until_ns.
select
    sign,
    tool_name,
    contract_version,
    error_type,
    call_index,
    hex_span(span_id) as span_id,
    time_ns,
    is_recovered,
    n
from fault_sign
where fault_sign.trace_id = $trace_id::uuid
    and (fault_sign.time_ns is null or fault_sign.time_ns between $from_ns and $until_ns)
order by
    call_index nulls last,
    time_ns,
    sign,
    span_id
