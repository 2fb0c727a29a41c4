-- One file of moved rows.
insert into tier_file (
    part_id, day, table_name, path, n_rows, n_bytes, first_row, column_names, moved_time_ns
)
values (
    $part_id,
    $day,
    $table_name,
    $path,
    $n_rows,
    $n_bytes,
    $first_row,
    $column_names,
    $moved_time_ns
)
