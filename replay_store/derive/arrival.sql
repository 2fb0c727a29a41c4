-- Between which times every row of the chosen traces has arrived: the rows that are new to derive,
-- and those it has seen before. Two spans of time, because a late row may follow after days.
select
    count(*) as n_chosen,
    count(*) filter (where not is_sealed) as n_open,
    count(*) filter (where is_sealed) as n_sealed,
    min(first_ns) as first_ns,
    max(last_ns) as last_ns,
    coalesce(min(known_first_ns), min(first_ns)) as known_first_ns,
    coalesce(max(known_last_ns), max(last_ns)) as known_last_ns
from chosen
