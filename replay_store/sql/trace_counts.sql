-- How many of the traces that pass the filter of find_traces ended with each status, hold each class of
-- error, and show an unrecovered sign of a fault in each layer ($signs[i] is one of $layers[i]). One row
-- a kind and value, most frequent first; a trace counts once a value.
with passing as materialized (
    select
        trace_id,
        status,
        error_type
    from trace
    where /* filter */ true
),

failed as (
    select
        trace_id,
        error_type
    from passing
    where error_type is not null
    union
    select
        tool_call.trace_id,
        tool_call.error_type
    from tool_call
    semi join passing using (trace_id)
    where tool_call.error_type is not null
),

layer as (
    select
        unnest($signs::varchar[]) as sign,
        unnest($layers::varchar[]) as layer
),

counted as (
    select
        'status' as kind,
        status as value,
        count(*) as n
    from passing
    group by status
    union all
    select
        'error' as kind,
        error_type as value,
        count(*) as n
    from failed
    group by error_type
    union all
    select
        'layer' as kind,
        layer.layer as value,
        count(distinct fault_sign.trace_id) as n
    from fault_sign
    semi join passing using (trace_id)
    inner join layer using (sign)
    where not fault_sign.is_recovered
    group by layer.layer
)

select
    kind,
    value,
    n
from counted
order by
    kind,
    n desc,
    value
