-- The prompts of one observation.
select
    hex_trace(trace_id) as trace_id,
    hex_span(span_id) as span_id,
    record_hash,
    variant,
    template,
    language,
    text,
    n_tokens,
    token_counter
from prompt
where prompt.trace_id = $trace_id::uuid
    and prompt.span_id = $span_id
    and record_hash = $record_hash
order by template, language, variant
