-- Between which row numbers the spans lie; NULL in an empty store.
select
    min(rowid) as first_row,
    max(rowid) as last_row
from span
