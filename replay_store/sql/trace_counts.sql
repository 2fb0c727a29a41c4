-- How many of the traces that pass the filter of find_traces ended with each status, hold each class of
-- error, and show an unrecovered sign of a fault in each layer ($signs[i] is one of $layers[i]). One row
-- a kind and value, most frequent first; a trace counts once a value. Traces that are alike in all of
-- this are many: they are put together first.
with alike as materialized (
/* alike */
    select
        status,
        error_type,
        call_error_types,
        fault_signs,
        count(*) as n
    from trace
    where /* filter */ true
    group by status, error_type, call_error_types, fault_signs
/* alike */
),

valued as (
    select
        'status' as kind,
        status as value,
        n
    from alike
    union all
    select
        'error' as kind,
        unnest(list_distinct(list_append(call_error_types, error_type))) as value,
        n
    from alike
    union all
    select
        'layer' as kind,
        unnest(
            list_distinct(
                list_transform(fault_signs, lambda sign: $layers[list_position($signs, sign)])
            )
        ) as value,
        n
    from alike
)

select
    kind,
    value,
    sum(n)::bigint as n
from valued
where value is not null
group by kind, value
order by
    kind,
    n desc,
    value
