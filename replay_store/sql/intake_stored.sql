-- How many rows of `fresh` each file or request brought.
select
    file_id,
    count(*) as n
from fresh
group by file_id
order by file_id
