-- Between which row numbers the spans and the log records lie; NULL for a table without rows.
select
    'span' as kind,
    min(rowid) as first_row,
    max(rowid) as last_row
from span
union all
select
    'log' as kind,
    min(rowid) as first_row,
    max(rowid) as last_row
from span_log
order by kind desc
