-- Which version of each unit of `shipping` and of their raw outputs counts.
select to_json(line)::varchar
from (
    select
        $receiver as receiver,
        unit as ship_unit,
        $version::ubigint as ship_version,
        base_version
    from shipping
    where not is_raw
    union all
    select
        $receiver as receiver,
        raw_id as ship_unit,
        $version::ubigint as ship_version,
        base_version
    from shipping_raw
) as line
