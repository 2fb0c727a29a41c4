-- Raw outputs of removed traces that no trace holds any more.
delete from main.raw_output
where raw_id in (select raw_id from retired_raw)
    and raw_id not in (select raw_id from raw_occurrence)
