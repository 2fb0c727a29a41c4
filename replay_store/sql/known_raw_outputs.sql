-- Which of the raw outputs `asked` are among the rows $first_row to $last_row of the table, and where.
select
    asked.position,
    raw_output.rowid as row_number
from raw_output
inner join asked using (raw_id)
where raw_output.rowid between $first_row and $last_row
