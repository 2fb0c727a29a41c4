-- What each item of a draw, positions $first to before $end, decided; nothing of how it went on.
-- Without a row the decision is no longer in the store. Only the versions of the spans that decided
-- are put in order.
with item as (
    select
        audit_item.position,
        decision.*
    from audit_item
    inner join decision
        on audit_item.trace_id = decision.trace_id
        and audit_item.turn_index = decision.turn_index
        and audit_item.call_index is not distinct from decision.call_index
    where audit_item.batch_id = $batch_id::uuid
        and audit_item.position >= $first
        and audit_item.position < $end
),

decided as (
    select
        trace_id,
        span_id,
        record_hash,
        attributes
    from span
    semi join item
        on span.trace_id = item.trace_id
        and span.span_id = item.llm_span_id
    qualify row_number() over (
        partition by trace_id, span_id
        order by version_order(end_time_ns, received_time_ns, record_index, record_hash) desc
    ) = 1
)

select
    item.position,
    item.trace_id,
    item.llm_span_id,
    decided.record_hash,
    item.tool_name,
    item.tool_call_id,
    item.arguments_hash,
    item.call_index,
    item.catalogue_hash,
    item.is_offered,
    item.model,
    item.agent_name,
    item.time_ns,
    decided.attributes,
    llm_call.output_preview
from item
left join decided
    on item.trace_id = decided.trace_id
    and item.llm_span_id = decided.span_id
left join llm_call
    on decided.trace_id = llm_call.trace_id
    and decided.span_id = llm_call.span_id
    and decided.record_hash = llm_call.record_hash
order by item.position
