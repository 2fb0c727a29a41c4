-- d_edge: which trace is linked to a chosen one, and by what.
--
-- An answer, or messages that go on, link to the latest trace before them, at most an hour, that
-- asked for the call or ended so. What lies within another (an MCP call, a call told twice) is linked
-- to it. Two traces of one response began within a second. Traces of one
-- session follow each other within ten minutes, and at most 500 make one task. Only keys that arrived
-- within an hour of the chosen traces are looked at ($from_ns to $to_ns).
create or replace temp table d_edge as
with recent as (
    select *
    from trace_key
    where received_time_ns between $from_ns and $to_ns
),

mine as (
    select distinct
        kind,
        key_hash
    from recent
    semi join chosen using (trace_id)
    where kind not in ('root', 'link')
        and (
            kind <> 'mcp'
            or key_hash in (
                select lone.key_hash
                from recent as lone
                where lone.kind = 'mcp'
                    and not lone.is_origin
            )
        )
),

shared as (
    select recent.*
    from recent
    semi join mine using (kind, key_hash)
),

rooted as (
    select distinct trace_id
    from recent
    semi join shared using (trace_id)
    where kind = 'root'
),

near as (
    select *
    from shared
    where time_ns is not null
        and (
            (kind = 'mcp' and is_origin)
            or trace_id in (select rooted.trace_id from rooted)
        )
),

taken_up as (
    select
        taken.trace_id,
        origin.trace_id as other_id,
        taken.kind,
        taken.time_ns - origin.time_ns as gap_ns,
        coalesce(taken.end_time_ns <= origin.end_time_ns, false) as is_within
    from (
        select *
        from near
        where not is_origin
    ) as taken
    asof inner join (
        select *
        from near
        where is_origin
    ) as origin
        on taken.kind = origin.kind
        and taken.key_hash = origin.key_hash
        and taken.time_ns >= origin.time_ns
),

in_turn as (
    select
        trace_id,
        lag(trace_id) over by_key as other_id,
        kind,
        time_ns - lag(time_ns) over by_key as gap_ns,
        (row_number() over by_key - 1) % 500 = 0 as is_first
    from near
    where kind in ('response', 'session')
    window by_key as (
        partition by kind, key_hash
        order by time_ns, trace_id
    )
),

named as (
    select
        trace_id,
        other_trace_id
    from recent
    where kind = 'link'
        and (
            trace_id in (select chosen.trace_id from chosen)
            or other_trace_id in (select chosen.trace_id from chosen)
        )
)

select
    trace_id,
    other_id,
    kind
from taken_up
where trace_id <> other_id
    and case when kind in ('mcp', 'same') then is_within else gap_ns <= 3600000000000 end
union
select
    trace_id,
    other_id,
    kind
from in_turn
where trace_id <> other_id
    and not is_first
    and gap_ns <= case kind when 'response' then 1000000000 else 600000000000 end
union
select
    trace_id,
    other_trace_id,
    'link'
from named
union
select
    trace_link.trace_id,
    trace_link.head_id,
    trace_link.linked_by
from trace_link
where trace_link.head_id in (
    select linked.head_id
    from trace_link as linked
    semi join chosen on linked.trace_id = chosen.trace_id
)
