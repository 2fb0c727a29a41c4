-- The days that lie in files, with their traces, files and bytes.
with traces as (
    select
        part_id,
        count(*) as n_traces
    from main.tiered_trace
    group by part_id
),

parts as (
    select
        part_id,
        any_value(day) as day,
        count(*) as n_files,
        sum(n_bytes)::bigint as n_bytes
    from main.tier_file
    group by part_id
)

select
    parts.day,
    sum(coalesce(traces.n_traces, 0))::bigint as n_traces,
    sum(parts.n_files)::bigint as n_files,
    sum(parts.n_bytes)::bigint as n_bytes
from parts
left join traces using (part_id)
group by parts.day
order by parts.day
