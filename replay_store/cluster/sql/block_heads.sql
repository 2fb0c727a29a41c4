-- Which version of each changed block counts.
select to_json(line)::varchar
from (
    select
        $receiver as receiver,
        md5(table_name || '/' || block)::uuid as ship_unit,
        $version::ubigint as ship_version,
        $version::ubigint as base_version
    from block_changed
) as line
