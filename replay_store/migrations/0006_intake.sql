-- What the receiver took in, a row for each commit and sender; a finished minute is folded into one
-- row a sender. Always n_received = n_stored + n_merged + n_rejected, because a row is written in the
-- transaction that stores its records.
create table intake_minute (
    minute integer not null,
    door varchar not null,
    source varchar not null,
    signal varchar not null,
    n_requests bigint not null,
    n_bytes bigint not null,
    n_received bigint not null,
    n_stored bigint not null,
    n_merged bigint not null,
    n_rejected bigint not null,
    n_repaired bigint not null,
    n_redacted bigint not null,
    n_ignored bigint not null,
    max_age_ms bigint,
    max_wait_ms bigint
);

-- NULL for files taken in before redaction was there.
alter table ingest_file add column n_redacted bigint;
