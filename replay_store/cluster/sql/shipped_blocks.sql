-- How the blocks were that are shipped now.
create or replace temp table block_shipped as
select
    unnest($tables::varchar[]) as table_name,
    unnest($blocks::bigint[]) as block,
    unnest($fingerprints::ubigint[]) as fingerprint;
delete from ship_block
where (table_name, block) in (
    select
        block_shipped.table_name,
        block_shipped.block
    from block_shipped
);
insert into ship_block (table_name, block, fingerprint)
select
    table_name,
    block,
    fingerprint
from block_shipped
where fingerprint is not null;
