-- What: the tools of which answers were recorded, the most often recorded ones first.
select
    raw_output.tool_name,
    count(*) as n_occurrences
from raw_output
inner join raw_occurrence
    on raw_output.raw_id = raw_occurrence.raw_id
group by raw_output.tool_name
order by
    n_occurrences desc,
    raw_output.tool_name
