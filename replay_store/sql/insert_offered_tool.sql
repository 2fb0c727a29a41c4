-- The tools of the catalogues of `batch` that are not yet known, each there once.
insert into offered_tool (catalogue_hash, position, tool_name, description, input_schema)
select
    catalogue_hash,
    position,
    tool_name,
    description,
    input_schema
from batch
anti join offered_tool using (catalogue_hash)
order by
    catalogue_hash,
    position
