-- What: how well tool outputs were read: cells in conflict, cells of unknown value, confidence, and
--   observations whose noise hit; for the scope, the period before and each time bucket.
-- Unit: cells (an entity and a type of fact); observations for the noise. Denominator: cells with two
--   sources or more (conflict), cells (unknown, confidence), observations (noise); n equals it.
--   Confidence is the mean over cells: the mean of each observation counts as often as it has cells.
-- Excluded and counted: no start; without facts (they add no cell). Only the current version of a
--   span counts. With $reading 'current' the counts of the dictionaries in force, one a rule set,
--   replace those of the observations that they have read again; named is the one moved last.
-- A tool stands for the observations that were given its output (list_contains: `has` elsewhere).
-- Sums over traces are the moments of the clustered intervals.
with pointer as (
    select
        rule_set,
        argMax(version, moved_time_ns) as version,
        max(moved_time_ns) as moved_time_ns
    from rule_pointer
    group by rule_set
),

placed as (
    select
        o.trace_id,
        o.n_cells,
        o.n_multi_source_cells,
        o.n_conflicts,
        o.n_unknown,
        o.mean_confidence,
        o.is_reread,
        o.is_noisy,
        o.placed_time_ns
    from observation_reading($reading) as o
    where
        ($tool_name is null or list_contains(o.tool_names, $tool_name))
        and (
            $agent_name is null
            or o.trace_id in (select trace_id from trace where agent_name = $agent_name)
        )
        and (
            o.time_ns is null
            or (o.time_ns >= $before_time_ns and o.time_ns < $end_time_ns)
        )
),

scoped as (
    select
        trace_id,
        coalesce(placed_time_ns, $start_time_ns) as time_ns,
        case when placed_time_ns is null then 0 else 1 end as is_counted,
        n_cells,
        n_multi_source_cells,
        n_conflicts,
        n_unknown,
        mean_confidence,
        is_reread,
        is_noisy
    from placed
    where
        (placed_time_ns >= $before_time_ns and placed_time_ns < $end_time_ns)
        or placed_time_ns is null
),

bucketed as (
    select
        trace_id,
        case when time_ns >= $start_time_ns then 1 else 0 end as is_now,
        time_ns - time_ns % $bucket_ns as bucket_time_ns,
        is_counted,
        is_counted * n_cells as n_cells,
        is_counted * n_multi_source_cells as n_multi_source_cells,
        is_counted * n_conflicts as n_conflicts,
        is_counted * n_unknown as n_unknown,
        is_counted * n_cells * mean_confidence as confidence_sum,
        is_counted * is_noisy as is_noisy,
        is_counted * is_reread as is_reread,
        case when is_counted = 1 and n_cells = 0 then 1 else 0 end as no_facts
    from scoped
),

by_trace as (
    select
        is_now,
        bucket_time_ns,
        trace_id,
        sum(is_counted) as n_observations,
        sum(n_cells) as n_cells,
        sum(n_multi_source_cells) as n_multi_source_cells,
        sum(n_conflicts) as n_conflicts,
        sum(n_unknown) as n_unknown,
        sum(confidence_sum) as confidence_sum,
        sum(is_noisy) as n_noisy,
        sum(is_reread) as n_reread,
        sum(no_facts) as no_facts,
        sum(1 - is_counted) as no_start_time
    from bucketed
    group by grouping sets (
        (is_now, trace_id),
        (is_now, bucket_time_ns, trace_id)
    )
),

in_force as (
    select argMax(version, moved_time_ns) as rule_version
    from pointer
),

summed as (
    select
        is_now,
        bucket_time_ns,
        sum(n_multi_source_cells) as conflict_n,
        sum(n_conflicts) as conflict_numerator,
        sum(n_multi_source_cells) as conflict_denominator,
        sum(case when n_multi_source_cells > 0 then 1 else 0 end) as conflict_n_clusters,
        sum(n_conflicts * n_conflicts) as conflict_yy,
        sum(n_conflicts * n_multi_source_cells) as conflict_ym,
        sum(n_multi_source_cells * n_multi_source_cells) as conflict_mm,
        sum(n_cells) as unknown_n,
        sum(n_unknown) as unknown_numerator,
        sum(n_cells) as unknown_denominator,
        sum(case when n_cells > 0 then 1 else 0 end) as unknown_n_clusters,
        sum(n_unknown * n_unknown) as unknown_yy,
        sum(n_unknown * n_cells) as unknown_ym,
        sum(n_cells * n_cells) as unknown_mm,
        sum(n_cells) as confidence_n,
        sum(confidence_sum) as confidence_numerator,
        sum(n_cells) as confidence_denominator,
        sum(case when n_cells > 0 then 1 else 0 end) as confidence_n_clusters,
        sum(confidence_sum * confidence_sum) as confidence_yy,
        sum(confidence_sum * n_cells) as confidence_ym,
        sum(n_cells * n_cells) as confidence_mm,
        sum(n_observations) as noise_n,
        sum(n_noisy) as noise_numerator,
        sum(n_observations) as noise_denominator,
        sum(case when n_observations > 0 then 1 else 0 end) as noise_n_clusters,
        sum(n_noisy * n_noisy) as noise_yy,
        sum(n_noisy * n_observations) as noise_ym,
        sum(n_observations * n_observations) as noise_mm,
        sum(n_reread) as n_reread,
        sum(no_facts) as no_facts,
        sum(no_start_time) as no_start_time
    from by_trace
    group by is_now, bucket_time_ns
),

final as (
    select
        s.is_now,
        s.bucket_time_ns,
        s.conflict_n,
        s.conflict_numerator,
        s.conflict_denominator,
        s.conflict_n_clusters,
        s.conflict_yy,
        s.conflict_ym,
        s.conflict_mm,
        s.unknown_n,
        s.unknown_numerator,
        s.unknown_denominator,
        s.unknown_n_clusters,
        s.unknown_yy,
        s.unknown_ym,
        s.unknown_mm,
        s.confidence_n,
        s.confidence_numerator,
        s.confidence_denominator,
        s.confidence_n_clusters,
        s.confidence_yy,
        s.confidence_ym,
        s.confidence_mm,
        s.noise_n,
        s.noise_numerator,
        s.noise_denominator,
        s.noise_n_clusters,
        s.noise_yy,
        s.noise_ym,
        s.noise_mm,
        s.n_reread,
        s.no_facts,
        s.no_start_time,
        f.rule_version
    from summed as s
    cross join in_force as f
)

select
    is_now,
    bucket_time_ns,
    conflict_n,
    conflict_numerator,
    conflict_denominator,
    conflict_n_clusters,
    conflict_yy,
    conflict_ym,
    conflict_mm,
    unknown_n,
    unknown_numerator,
    unknown_denominator,
    unknown_n_clusters,
    unknown_yy,
    unknown_ym,
    unknown_mm,
    confidence_n,
    confidence_numerator,
    confidence_denominator,
    confidence_n_clusters,
    confidence_yy,
    confidence_ym,
    confidence_mm,
    noise_n,
    noise_numerator,
    noise_denominator,
    noise_n_clusters,
    noise_yy,
    noise_ym,
    noise_mm,
    n_reread,
    no_facts,
    no_start_time,
    rule_version
from final
order by
    is_now,
    bucket_time_ns nulls first
