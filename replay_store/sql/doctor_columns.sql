-- Every table of the store with its columns, in order.
select
    table_name,
    list(column_name order by column_index) as column_names
from duckdb_columns()
where
    database_name = 'store'
    and schema_name = 'main'
    and table_name in (select table_name from duckdb_tables() where database_name = 'store')
group by table_name
order by table_name
