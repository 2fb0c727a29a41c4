-- The newest ledger lines.
select
    file_id,
    path,
    sha256,
    n_bytes,
    container,
    started_time_ns,
    finished_time_ns,
    n_records,
    n_stored,
    n_merged,
    n_rejected,
    n_repaired,
    message,
    n_redacted,
    container_reason
from ingest_file
order by finished_time_ns desc, path
limit $limit
