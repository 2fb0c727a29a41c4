-- What: raw values that no dictionary maps, as facts of unknown value hold them, by tool, contract
--   version and type of fact; with each the newest occurrences to look at.
-- Unit: facts. Denominator: n_facts, all facts of that tool, version and type in the same period.
-- Excluded: the noisy variant; superseded versions of a span; observations without a start.
-- A tool stands for the facts read from its outputs.
with seen as (
    select
        o.trace_id,
        o.span_id,
        o.record_hash,
        coalesce(o.time_ns, t.start_time_ns) as time_ns
    from observation_current as o
    left join trace as t on t.trace_id = o.trace_id
    where $agent_name is null or t.agent_name = $agent_name
),

scoped as (
    select
        f.trace_id,
        f.span_id,
        f.tool_name,
        f.contract_version,
        f.fact_type,
        f.kind,
        f.raw,
        s.time_ns
    from fact as f
    inner join seen as s
        on s.trace_id = f.trace_id and s.span_id = f.span_id and s.record_hash = f.record_hash
    where
        f.variant = 'clean'
        and ($tool_name is null or f.tool_name = $tool_name)
        and s.time_ns >= $start_time_ns
        and s.time_ns < $end_time_ns
),

every_fact as (
    select
        tool_name,
        contract_version,
        fact_type,
        count(*) as n_facts
    from scoped
    group by tool_name, contract_version, fact_type
),

unmapped as (
    select
        tool_name,
        contract_version,
        fact_type,
        raw,
        count(*) as n,
        count(distinct trace_id) as n_traces,
        min(time_ns) as first_time_ns,
        max(time_ns) as last_time_ns,
        max_by(
            struct_pack(trace_id := hex_trace(trace_id), span_id := hex_span(span_id)),
            time_ns,
            5
        ) as examples
    from scoped
    where kind = 'UNKNOWN'
    group by tool_name, contract_version, fact_type, raw
),

final as (
    select
        u.tool_name,
        u.contract_version,
        u.fact_type,
        u.raw,
        u.n,
        u.n_traces,
        e.n_facts,
        u.first_time_ns,
        u.last_time_ns,
        u.examples
    from unmapped as u
    inner join every_fact as e
        on
            e.tool_name = u.tool_name
            and e.fact_type = u.fact_type
            and coalesce(e.contract_version, '') = coalesce(u.contract_version, '')
)

select
    tool_name,
    contract_version,
    fact_type,
    raw,
    n,
    n_traces,
    n_facts,
    first_time_ns,
    last_time_ns,
    examples
from final
order by
    n_traces desc,
    n desc,
    tool_name,
    contract_version,
    fact_type,
    raw
limit $limit
