-- The tools of the given catalogues, in the order in which they were offered.
select
    catalogue_hash,
    position,
    tool_name,
    description,
    input_schema
from offered_tool
where list_contains($catalogue_hashes::ubigint[], catalogue_hash)
order by catalogue_hash, position
