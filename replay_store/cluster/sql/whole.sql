-- Of traces that are shipped whole everything is new.
update shipping set
    first_ns = coalesce(trace.first_received_time_ns, 0),
    last_ns = trace.last_received_time_ns
from trace
where trace.trace_id = shipping.unit
    and shipping.is_whole
