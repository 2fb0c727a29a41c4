-- The calls that one version of a model span asks for, in order.
select
    call_evidence.position,
    tool_call_id,
    coalesce(tool_name, '') as tool_name,
    arguments,
    arguments_hash
from call_evidence
where call_evidence.trace_id = $trace_id
    and call_evidence.span_id = $span_id
    and call_evidence.record_hash = $record_hash
    and call_evidence.evidence = 'request'
order by call_evidence.position
