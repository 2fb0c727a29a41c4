-- The raw outputs of the traces that move which none holds that stays.
create or replace temp table moving_raw as
select distinct raw_occurrence.raw_id
from main.raw_occurrence
semi join moving using (trace_id)
where raw_occurrence.raw_id not in (
    select held.raw_id
    from main.raw_occurrence as held
    anti join moving using (trace_id)
)
