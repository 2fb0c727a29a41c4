-- Between which times the records of the trace $trace_id arrived: in every table, only the part that did
-- so holds any. And between which times what they tell of happened or arrived, a day for wrong clocks
-- before and after. NULL for what was before arrivals were kept; no row for a trace that is not derived.
select
    min(first_received_time_ns) as first_ns,
    max(last_received_time_ns) as last_ns,
    min(least(start_time_ns, first_received_time_ns)) - 86400000000000 as from_ns,
    case
        when bool_and(is_finished and end_time_ns is not null)
            then max(greatest(end_time_ns, last_received_time_ns)) + 86400000000000
    end as until_ns
from traces_near($first_hour, $last_hour)
where trace_id = $trace_id::uuid
having count(*) > 0
