-- Records of spans; of equal ones all but the first are too many.
select
    rowid as row_id,
    hex_trace(trace_id) as example,
    row_number() over (
        partition by trace_id, span_id, record_hash order by received_time_ns, rowid
    ) > 1 as is_wrong
from main.span
