-- What there is to read again: the distinct inputs of observations, each with where it occurred,
-- oldest first occurrence first. Equal inputs are the same raw outputs, answered in the same order,
-- in the same context; the time of asking is left out, because only ages depend on it.
-- Of each span only its newest version counts. A NULL parameter lets everything pass; with
-- $unread_by only observations that version has not read yet, with $read_sha256 only those that
-- other rule files were used for. is_whole: every output was recorded, and none was cut;
-- is_redacted: a value in one was masked before it was kept. Cells are counted as $counted_by read them, where it has, else as they were recorded.
with newest as (
    select
        observation.*,
        json_extract_string(span.attributes, $context_path) as context
    from observation
    inner join span
        on observation.trace_id = span.trace_id
        and observation.span_id = span.span_id
        and observation.record_hash = span.record_hash
    where ($start_time_ns is null or observation.time_ns >= $start_time_ns)
        and ($end_time_ns is null or observation.time_ns < $end_time_ns)
        and ($tool_names is null or list_has_any(observation.tool_names, $tool_names::varchar[]))
        and ($received_since_ns is null or span.received_time_ns >= $received_since_ns)
        and ($read_sha256 is null or observation.rule_sha256 is distinct from $read_sha256)
    qualify row_number() over (
        partition by observation.trace_id, observation.span_id
        order by
            span.end_time_ns is not null desc,
            span.end_time_ns desc,
            span.received_time_ns desc,
            span.record_index desc
    ) = 1
),

scoped as (
    select
        newest.* replace (
            coalesce(counted.n_cells, newest.n_cells) as n_cells,
            coalesce(counted.n_multi_source_cells, newest.n_multi_source_cells)
                as n_multi_source_cells,
            coalesce(counted.n_conflicts, newest.n_conflicts) as n_conflicts,
            coalesce(counted.n_unknown, newest.n_unknown) as n_unknown,
            coalesce(counted.n_unparsed, newest.n_unparsed) as n_unparsed
        )
    from newest
    left join reread as counted
        on newest.trace_id = counted.trace_id
        and newest.span_id = counted.span_id
        and counted.rule_version = $counted_by
    where $unread_by is null
        or not exists (
            select 1
            from reread
            where reread.trace_id = newest.trace_id
                and reread.span_id = newest.span_id
                and reread.rule_version = $unread_by
        )
),

answers as (
    select
        raw_occurrence.trace_id,
        raw_occurrence.span_id,
        raw_occurrence.record_hash,
        raw_occurrence.position,
        raw_occurrence.raw_id,
        raw_occurrence.error_class,
        raw_occurrence.degradation,
        ends_with(raw_output.body, '…') as is_cut,
        contains(raw_output.body, '[redacted ') as is_redacted,
        dense_rank() over (
            partition by
                raw_occurrence.trace_id,
                raw_occurrence.span_id,
                raw_occurrence.record_hash
            order by raw_occurrence.received_time_text
        ) as answered
    from raw_occurrence
    inner join raw_output
        on raw_occurrence.raw_id = raw_output.raw_id
    where raw_occurrence.source = 'observation'
),

inputs as (
    select
        scoped.trace_id,
        scoped.span_id,
        scoped.record_hash,
        scoped.time_ns,
        scoped.hour,
        scoped.n_outputs,
        scoped.n_cells,
        scoped.n_multi_source_cells,
        scoped.n_conflicts,
        scoped.n_unknown,
        scoped.n_unparsed,
        coalesce(
            regexp_replace(scoped.context, '^\{"query_time":("[^"]*"|null),', '{'),
            concat_ws('|', scoped.intent, scoped.primary_entity)
        ) as context,
        list(
            [
                answers.raw_id::varchar,
                answers.error_class,
                answers.degradation,
                answers.answered::varchar
            ]
            order by answers.position
        ) filter (answers.raw_id is not null) as outputs,
        count(answers.raw_id) >= scoped.n_outputs
        and coalesce(not bool_or(answers.is_cut), false) as is_whole,
        coalesce(bool_or(answers.is_redacted), false) as is_redacted
    from scoped
    left join answers
        on scoped.trace_id = answers.trace_id
        and scoped.span_id = answers.span_id
        and scoped.record_hash = answers.record_hash
    group by
        scoped.trace_id,
        scoped.span_id,
        scoped.record_hash,
        scoped.time_ns,
        scoped.hour,
        scoped.n_outputs,
        scoped.n_cells,
        scoped.n_multi_source_cells,
        scoped.n_conflicts,
        scoped.n_unknown,
        scoped.n_unparsed,
        scoped.context,
        scoped.intent,
        scoped.primary_entity
)

select
    outputs is not null as has_raw,
    is_whole,
    is_redacted,
    sum(n_cells)::bigint as n_cells,
    sum(n_multi_source_cells)::bigint as n_multi_source_cells,
    sum(n_conflicts)::bigint as n_conflicts,
    sum(n_unknown)::bigint as n_unknown,
    sum(n_unparsed)::bigint as n_unparsed,
    list(
        {
            'trace_id': hex_trace(trace_id),
            'span_id': hex_span(span_id),
            'record_hash': record_hash,
            'time_ns': time_ns,
            'hour': hour
        }
        order by time_ns, trace_id, span_id
    ) as occurrences
from inputs
group by
    context,
    n_outputs,
    outputs,
    is_whole,
    is_redacted
order by min(time_ns), min(trace_id), min(span_id)
