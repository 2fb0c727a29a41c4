-- Traces by the dialects that were read in them, most first; a trace may hold several.
select
    dialect,
    count(*) as n_traces
from (
    select unnest(dialects) as dialect
    from trace
)
group by dialect
order by
    n_traces desc,
    dialect
