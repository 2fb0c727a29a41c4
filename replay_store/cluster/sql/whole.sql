-- Of traces that are shipped whole everything is new, whatever derive made of it.
update shipping set
    first_ns = arrived.first_ns,
    last_ns = arrived.last_ns
from (
    select
        trace_id,
        min(received_time_ns) as first_ns,
        max(received_time_ns) as last_ns
    from (
        select trace_id, received_time_ns from span
        union all
        select trace_id, received_time_ns from span_log
        union all
        select trace_id, received_time_ns from noise_log
    ) as received
    where trace_id in (select shipping.unit from shipping where shipping.is_whole)
    group by trace_id
) as arrived
where arrived.trace_id = shipping.unit
    and shipping.is_whole
