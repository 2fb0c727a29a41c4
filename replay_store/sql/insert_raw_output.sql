-- The raw outputs of `batch`, each there once, that are not yet known.
insert into raw_output (raw_id, tool_name, contract_version, body, n_bytes)
select
    raw_id,
    tool_name,
    contract_version,
    body,
    n_bytes
from batch
anti join raw_output using (raw_id)
