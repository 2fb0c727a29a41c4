-- The linked traces join the chosen ones, derived before or not: one round, repeated until none joins.
insert into chosen by name
with joining as (
    select trace_id
    from (
        select trace_id
        from d_edge
        union
        select other_id
        from d_edge
    ) as linked
    anti join chosen using (trace_id)
),

known as (
    select
        trace_id,
        first_received_time_ns,
        last_received_time_ns,
        false as is_sealed
    from trace_open
    semi join joining using (trace_id)
    union all
    select
        trace_id,
        first_received_time_ns,
        last_received_time_ns,
        true
    from trace_sealed
    semi join joining using (trace_id)
),

late as (
    select
        trace_id,
        min(first_received_time_ns) as first_ns,
        max(last_received_time_ns) as last_ns
    from dirty_trace
    semi join joining using (trace_id)
    group by trace_id
)

select
    joining.trace_id,
    joining.trace_id as head_id,
    late.first_ns,
    late.last_ns,
    known.first_received_time_ns as known_first_ns,
    known.last_received_time_ns as known_last_ns,
    known.is_sealed
from joining
left join known using (trace_id)
left join late using (trace_id)
where coalesce(late.first_ns, known.first_received_time_ns) is not null
