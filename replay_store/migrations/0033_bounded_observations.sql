-- Observations as read by the dictionaries in force (reading 'current': the counts of the newest one
-- that has read the outputs again stand in place of the recorded ones), or as recorded. One without a
-- time of its own is placed at that of its trace; a period is bounded by the own time too, because traces
-- are read only for those, and they are few.
create or replace macro observation_reading(reading) as table
with pointer as (
    select
        rule_set,
        arg_max(version, moved_time_ns) as version
    from rule_pointer
    group by rule_set
),

again as (
    select
        trace_id,
        span_id,
        arg_max(n_cells, created_time_ns) as n_cells,
        arg_max(n_multi_source_cells, created_time_ns) as n_multi_source_cells,
        arg_max(n_conflicts, created_time_ns) as n_conflicts,
        arg_max(n_unknown, created_time_ns) as n_unknown,
        arg_max(coalesce(mean_confidence, 0), created_time_ns) as mean_confidence
    from reread
    where reading = 'current'
        and rule_version in (select pointer.version from pointer)
    group by trace_id, span_id
),

untimed_trace as (
    select
        trace_id,
        start_time_ns
    from trace
    where trace_id in (select observation.trace_id from observation where observation.time_ns is null)
)

select
    observation_current.trace_id,
    observation_current.tool_names,
    coalesce(again.n_cells, observation_current.n_cells) as n_cells,
    coalesce(again.n_multi_source_cells, observation_current.n_multi_source_cells)
        as n_multi_source_cells,
    coalesce(again.n_conflicts, observation_current.n_conflicts) as n_conflicts,
    coalesce(again.n_unknown, observation_current.n_unknown) as n_unknown,
    coalesce(again.mean_confidence, observation_current.mean_confidence, 0) as mean_confidence,
    (again.n_cells is not null)::integer as is_reread,
    coalesce(observation_current.n_noise_hit > 0, false)::integer as is_noisy,
    observation_current.time_ns,
    coalesce(observation_current.time_ns, untimed_trace.start_time_ns) as placed_time_ns
from observation_current
left join again
    on observation_current.trace_id = again.trace_id
    and observation_current.span_id = again.span_id
left join untimed_trace
    on observation_current.trace_id = untimed_trace.trace_id;
