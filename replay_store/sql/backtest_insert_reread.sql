-- Keep what one version makes of some observations, each once a version.
insert into reread (
    trace_id, span_id, time_ns, hour, rule_version, snapshot_hash, n_cells, n_multi_source_cells,
    n_conflicts, n_unknown, n_unparsed, mean_confidence, created_time_ns
)
select
    trace_id,
    span_id,
    time_ns,
    hour,
    rule_version,
    snapshot_hash,
    n_cells,
    n_multi_source_cells,
    n_conflicts,
    n_unknown,
    n_unparsed,
    mean_confidence,
    created_time_ns
from batch
where not exists (
        select 1
        from reread
        where reread.trace_id = batch.trace_id
            and reread.span_id = batch.span_id
            and reread.rule_version = batch.rule_version
    )
