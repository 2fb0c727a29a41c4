-- Changes whenever something came in, was refused, read from a file or derived.
select
    (select version from store_state) as version,
    (select count(*) from intake_minute) as n_rows,
    (select max(minute) from intake_minute) as newest_minute,
    (select count(*) from reject) as n_rejects,
    (select count(*) from ingest_file) as n_files,
    (select count(*) from dirty_trace) as n_dirty
