-- Late spans may belong to traces sealed days ago, whose rows lie far from those of the others: a chunk that
-- held both would read all that lies between. The chosen traces whose rows came more than $near_ns before
-- anything new are derived by the day in which they came, so only those stay that belong with the one that
-- has waited longest; the others wait on.
delete from chosen
where trace_id in (
    with placed as (
        select
            trace_id,
            first_ns,
            case
                when is_sealed and known_first_ns < min(first_ns) over () - $near_ns
                    then known_first_ns // 86400000000000
                else -1
            end as late_day
        from chosen
    )

    select trace_id
    from placed
    where late_day <> (
        select placed.late_day
        from placed
        order by placed.first_ns, placed.trace_id
        limit 1
    )
)
