-- Traces that show one of these signs of a fault and did not recover from it.
trace_id in (
    select fault_sign.trace_id
    from fault_sign
    where not fault_sign.is_recovered
        and fault_sign.sign in (select unnest($value::varchar[]))
)
