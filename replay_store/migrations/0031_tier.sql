-- Old days beside the store: whole traces whose rows lie in Parquet files, day by day.

-- One row once something was moved: by what the files of this store are known, and which files and
-- migrations the views of the schema `whole` were made from.
create table tier_store (
    store_id varchar not null,
    signature varchar not null
);

-- One row a file: the rows of one table of the traces that were moved together. Their day is that of
-- their age, in days since the epoch; first_row numbers the rows of those tables that are searched for
-- words.
create table tier_file (
    part_id integer not null,
    day integer not null,
    table_name varchar not null,
    path varchar not null,
    n_rows bigint not null,
    n_bytes bigint not null,
    first_row bigint,
    column_names varchar[] not null,
    moved_time_ns bigint not null
);

-- Which moved trace lies where; one that came back stands in returned_trace instead, and its rows in
-- the files count no more.
create table tiered_trace (
    trace_id uuid not null,
    part_id integer not null,
    newest_time_ns bigint not null
);

create table returned_trace (
    trace_id uuid not null,
    part_id integer not null
);

-- Rows by number, to be read slice by slice; moved ones have numbers below zero.
create view numbered_span as
select
    *,
    rowid as row_number
from span;

create view numbered_log as
select
    *,
    rowid as row_number
from span_log;
