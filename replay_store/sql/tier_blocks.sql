-- The blocks of the file that hold something of one table, how large one is, and the table's rows there.
with segment as (
    from pragma_storage_info(/* table */)
    where persistent
),

block as (
    select block_id
    from segment
    where block_id >= 0
    union
    select unnest(additional_block_ids)
    from segment
)

select
    (select count(*) from block) as n_blocks,
    (
        select block_size
        from pragma_database_size()
        where database_name = 'store'
    ) as block_bytes,
    (
        select coalesce(sum(count), 0)::bigint
        from segment
        where column_id = 0
            and column_path = '[0]'
    ) as n_rows
