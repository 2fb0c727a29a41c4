-- d_count, repeats: the longest run of equal calls (tool and arguments) in a row. Calls of one run
-- keep the same distance between their place among all calls and their place among equal ones.
insert into d_count by name
with islands as (
    select
        trace_id,
        tool_name,
        arguments_hash,
        row_number() over (order by trace_id, call_index)
            - row_number() over (order by trace_id, tool_name, arguments_hash, call_index) as island
    from d_call
    where not is_pseudo
        and arguments_hash is not null
),

runs as (
    select
        trace_id,
        count(*) as n_equal
    from islands
    group by trace_id, tool_name, arguments_hash, island
)

select
    trace_id,
    max(n_equal) as longest_identical_run
from runs
where n_equal > 1
group by trace_id
