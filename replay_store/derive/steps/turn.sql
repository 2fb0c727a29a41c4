-- d_turn: the answered model calls, numbered within their task: the turns.
create or replace temp table d_turn as
select
    * exclude (record_index, response_id, is_told, is_asking),
    row_number() over (
        partition by trace_id
        order by start_time_ns nulls last, record_index, span_id
    ) - 1 as turn_index,
    coalesce(end_time_ns, start_time_ns) as answered_time_ns
from d_model
