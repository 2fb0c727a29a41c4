-- Raw outputs that only sealed traces older than $before_ns hold, by the newest day of those.
with held as (
    select
        raw_occurrence.raw_id,
        max(trace_age.newest_time_ns) as newest_time_ns,
        bool_and(
            coalesce(trace_age.newest_time_ns < $before_ns, false) and trace_sealed.trace_id is not null
        ) as is_moving
    from raw_occurrence
    left join trace_age using (trace_id)
    left join trace_sealed using (trace_id)
    group by raw_occurrence.raw_id
)

select
    newest_time_ns // 86400000000000 as day,
    count(*) as n
from held
semi join raw_output using (raw_id)
where is_moving
group by day
order by day
