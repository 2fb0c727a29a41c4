-- Files and minutes of the ledger: received = stored + merged + refused.
select
    path as example,
    n_records <> n_stored + n_merged + n_rejected as is_wrong
from ingest_file
union all
select
    source as example,
    n_received <> n_stored + n_merged + n_rejected as is_wrong
from intake_minute
