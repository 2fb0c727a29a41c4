-- d_count, repeats: the longest run of equal calls (tool and arguments) in a row. Calls of one run
-- keep the same distance between their place among all calls and their place among equal ones. A run
-- counts where it ends. Not visible where two calls of one tool follow each other and the arguments
-- of one are not.
insert into d_count by name
with islands as (
    select
        trace_id,
        own_trace_id,
        call_index,
        tool_name,
        arguments_hash,
        row_number() over (order by trace_id, call_index)
            - row_number() over (order by trace_id, tool_name, arguments_hash, call_index) as island
    from d_call
    where not is_pseudo
),

runs as (
    select
        arg_max(own_trace_id, call_index) as own_trace_id,
        count(*) as n_equal
    from islands
    where arguments_hash is not null
    group by trace_id, tool_name, arguments_hash, island
),

beside as (
    select
        own_trace_id,
        tool_name = lag(tool_name) over in_order
            and (arguments_hash is null or lag(arguments_hash) over in_order is null) as is_hidden
    from islands
    window in_order as (
        partition by trace_id
        order by call_index
    )
)

select
    own_trace_id as trace_id,
    max(n_equal) as longest_identical_run,
    false as are_repeats_hidden
from runs
where n_equal > 1
group by own_trace_id
union all
select distinct
    own_trace_id,
    null,
    true
from beside
where is_hidden
