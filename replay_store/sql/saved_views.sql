-- The searches that people keep for the page $page, the newest row of each name, by name.
select
    name,
    page,
    query,
    author,
    is_removed,
    saved_time_ns
from saved_view
where saved_view.page = $page
qualify row_number() over (
    partition by name
    order by saved_time_ns desc
) = 1
    and not is_removed
order by name
