-- Between which row numbers the spans and the log records lie, those of moved days below zero; NULL where
-- there are none.
select
    'span' as kind,
    min(rowid) as first_row,
    max(rowid) as last_row
from main.span
union all
select
    'log' as kind,
    min(rowid) as first_row,
    max(rowid) as last_row
from main.span_log
union all
select
    'span' as kind,
    min(first_row) as first_row,
    max(first_row + n_rows - 1) as last_row
from tier_file
where table_name = 'span'
union all
select
    'log' as kind,
    min(first_row) as first_row,
    max(first_row + n_rows - 1) as last_row
from tier_file
where table_name = 'span_log'
order by
    kind desc,
    first_row desc
