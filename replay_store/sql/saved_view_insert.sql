-- One more state of a kept search.
insert into saved_view (
    name,
    page,
    query,
    author,
    is_removed,
    saved_time_ns
)
values (
    $name,
    $page,
    $query,
    $author,
    $is_removed,
    $saved_time_ns
)
