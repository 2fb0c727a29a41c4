-- block_changed: blocks that are not as they were shipped; fingerprint NULL where no row is left.
create or replace temp table block_changed as
select
    coalesce(block_now.table_name, ship_block.table_name) as table_name,
    coalesce(block_now.block, ship_block.block) as block,
    block_now.fingerprint
from block_now
full join main.ship_block
    on block_now.table_name = ship_block.table_name
    and block_now.block = ship_block.block
where block_now.fingerprint is distinct from ship_block.fingerprint
