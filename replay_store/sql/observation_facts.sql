-- The facts of one observation, of all variants.
select
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    record_hash,
    variant,
    fact_id,
    entity_type,
    entity_id,
    fact_type,
    kind,
    value,
    confidence,
    confidence_origin,
    source,
    tool_name,
    raw,
    reason,
    observed_time_ns,
    valid_time_ns,
    contract_version,
    parser_version,
    rule_version
from fact
where fact.trace_id = $trace_id::uuid
    and fact.span_id = $span_id
    and record_hash = $record_hash
order by entity_type, entity_id, fact_type, fact_id, variant
