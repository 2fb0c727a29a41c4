-- trace_link: linked traces make one task, headed by the one that began first.
insert into trace_link by name
with recursive edge as (
    select
        trace_id,
        other_id
    from d_edge
    union
    select
        other_id,
        trace_id
    from d_edge
),

reach as (
    select
        trace_id as seed_id,
        trace_id as member_id
    from edge
    semi join chosen using (trace_id)
    union
    select
        reach.seed_id,
        edge.other_id
    from reach
    inner join edge on reach.member_id = edge.trace_id
),

begun as (
    select
        member_id,
        arg_min(seed_id, row(coalesce(times.start_ns, 9223372036854775807), seed_id)) as head_id
    from reach
    left join (
        select
            trace_id,
            min(start_time_ns) as start_ns
        from span
        where trace_id in (select edge.trace_id from edge)
            and (
                received_time_ns between $first_ns and $last_ns
                or received_time_ns between $known_first_ns and $known_last_ns
            )
        group by trace_id
    ) as times
        on reach.seed_id = times.trace_id
    group by member_id
),

told as (
    select
        trace_id,
        unnest(string_split(kind, ', ')) as kind
    from d_edge
    union
    select
        other_id,
        unnest(string_split(kind, ', ')) as kind
    from d_edge
)

select
    begun.member_id as trace_id,
    begun.head_id,
    string_agg(distinct told.kind, ', ' order by told.kind) as linked_by
from begun
inner join told
    on begun.member_id = told.trace_id
group by begun.member_id, begun.head_id
