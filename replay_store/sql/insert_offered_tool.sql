-- Catalogues not yet known; `batch` may repeat one.
insert into offered_tool (catalogue_hash, position, tool_name, description, input_schema)
select
    catalogue_hash,
    position,
    any_value(tool_name),
    any_value(description),
    any_value(input_schema)
from batch
where catalogue_hash not in (select catalogue_hash from offered_tool)
group by catalogue_hash, position
order by catalogue_hash, position
