-- Raw outputs not yet known; `batch` may repeat one.
insert into raw_output (raw_id, tool_name, contract_version, body, n_bytes)
select
    raw_id,
    any_value(tool_name),
    any_value(contract_version),
    any_value(body),
    any_value(n_bytes)
from batch
where raw_id not in (select raw_id from raw_output)
group by raw_id
order by raw_id
