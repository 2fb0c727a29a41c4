-- What: numbers as they were recorded for one entity in one observation, equal ones together.
-- Unit: one row a combination of values of the wanted fact types; n counts entities in observations.
-- Excluded: the noisy variant; versions of a span that were superseded; what two sources say
-- differently; values that were not read. With $is_raw the number is what the tool gave, for fields
-- whose value is already the code of an interval.
with said as (
    select
        fact.trace_id,
        fact.span_id,
        fact.entity_type,
        fact.entity_id,
        fact.fact_type,
        min(case when $is_raw then fact.raw else fact.value end) as value,
        count(distinct case when $is_raw then fact.raw else fact.value end) as n_values
    from fact
    inner join observation
        on fact.trace_id = observation.trace_id
        and fact.span_id = observation.span_id
        and fact.record_hash = observation.record_hash
    inner join span_current
        on fact.trace_id = span_current.trace_id
        and fact.span_id = span_current.span_id
        and fact.record_hash = span_current.record_hash
    where fact.variant = 'clean'
        and fact.kind = 'FACT'
        and list_contains($fact_types::varchar[], fact.fact_type)
        and observation.time_ns >= $start_time_ns
        and observation.time_ns < $end_time_ns
    group by
        fact.trace_id,
        fact.span_id,
        fact.entity_type,
        fact.entity_id,
        fact.fact_type
),

entity as (
    select
        trace_id,
        span_id,
        list({'fact_type': fact_type, 'value': value} order by fact_type) as said
    from said
    where n_values = 1
    group by
        trace_id,
        span_id,
        entity_type,
        entity_id
)

select
    said,
    count(*) as n,
    list(distinct hex_trace(trace_id)) as trace_ids,
    min(struct_pack(trace_id := hex_trace(trace_id), span_id := hex_span(span_id))) as example
from entity
group by said
order by
    n desc,
    said
