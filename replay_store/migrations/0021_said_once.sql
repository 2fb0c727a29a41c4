-- Said once: which version of an observation counts, how it is read, and which traces a side of a
-- comparison holds.

-- One row an observation: of several versions of its span that one which counts. Nearly all have one,
-- and the spans are not read for those.
create view observation_current as
with repeated as (
    select
        trace_id,
        span_id
    from observation
    group by trace_id, span_id
    having count(*) > 1
),

newest as (
    select
        span.trace_id,
        span.span_id,
        arg_max(
            span.record_hash,
            version_order(
                span.end_time_ns, span.received_time_ns, span.record_index, span.record_hash
            )
        ) as record_hash
    from span
    semi join observation using (trace_id, span_id, record_hash)
    semi join repeated using (trace_id, span_id)
    group by span.trace_id, span.span_id
)

select *
from observation
anti join repeated using (trace_id, span_id)
union all
select *
from observation
semi join newest using (trace_id, span_id, record_hash);

-- Observations as read by the dictionaries in force (reading 'current': the counts of the newest one
-- that has read the outputs again stand in place of the recorded ones), or as recorded.
create macro observation_reading(reading) as table
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
)

select
    observation_current.trace_id,
    observation_current.tool_names,
    trace.agent_name,
    coalesce(again.n_cells, observation_current.n_cells) as n_cells,
    coalesce(again.n_multi_source_cells, observation_current.n_multi_source_cells)
        as n_multi_source_cells,
    coalesce(again.n_conflicts, observation_current.n_conflicts) as n_conflicts,
    coalesce(again.n_unknown, observation_current.n_unknown) as n_unknown,
    coalesce(again.mean_confidence, observation_current.mean_confidence, 0) as mean_confidence,
    (again.n_cells is not null)::integer as is_reread,
    coalesce(observation_current.n_noise_hit > 0, false)::integer as is_noisy,
    coalesce(observation_current.time_ns, trace.start_time_ns) as placed_time_ns
from observation_current
left join again
    on observation_current.trace_id = again.trace_id
    and observation_current.span_id = again.span_id
left join trace
    on observation_current.trace_id = trace.trace_id;

-- The traces of one side of a comparison: of a period, perhaps only those that use one version of a
-- tool's contract, one model or one template.
create macro side_traces(
    from_ns, until_ns, agent, tool, version, of_model, of_template
) as table
select
    trace_id,
    is_finished,
    n_steps
from trace
where start_time_ns >= from_ns
    and start_time_ns < until_ns
    and (agent is null or agent_name = agent)
    and (
        tool is null
        or trace_id in (
            select tool_call.trace_id
            from tool_call
            where tool_call.tool_name = tool
                and (version is null or tool_call.contract_version = version)
        )
    )
    and (
        of_model is null
        or trace_id in (select decision.trace_id from decision where decision.model = of_model)
    )
    and (
        of_template is null
        or trace_id in (select prompt.trace_id from prompt where prompt.template = of_template)
    );

-- What a latency is about: calls, attempts and model calls, each with why it does not count ('counted':
-- it does). One without a start of its own is placed at that of its trace.
create view timed_call as
select
    tool_call.trace_id,
    tool_call.tool_name,
    tool_call.agent_name,
    tool_call.duration_ns,
    coalesce(tool_call.start_time_ns, trace.start_time_ns) as placed_time_ns,
    case
        when coalesce(tool_call.start_time_ns, trace.start_time_ns) is null then 'no_start_time'
        when tool_call.is_pseudo then 'pseudo_tool'
        when tool_call.status = 'blocked' then 'blocked'
        when not tool_call.is_executed then 'never_executed'
        when tool_call.start_time_ns is null then 'no_start_time'
        when tool_call.end_time_ns is null then 'unfinished'
        when tool_call.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from tool_call
left join trace using (trace_id);

create view timed_attempt as
select
    attempt.trace_id,
    attempt.tool_name,
    tool_call.agent_name,
    attempt.duration_ns,
    coalesce(attempt.start_time_ns, trace.start_time_ns) as placed_time_ns,
    case
        when coalesce(attempt.start_time_ns, trace.start_time_ns) is null then 'no_start_time'
        when tool_call.is_pseudo then 'pseudo_tool'
        when attempt.status = 'blocked' then 'blocked'
        when attempt.start_time_ns is null then 'no_start_time'
        when attempt.end_time_ns is null then 'unfinished'
        when attempt.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from attempt
inner join tool_call using (trace_id, call_index)
left join trace using (trace_id);

create view timed_model_call as
select
    model_call.trace_id,
    model_call.span_id,
    trace.agent_name,
    model_call.duration_ns,
    coalesce(model_call.start_time_ns, trace.start_time_ns) as placed_time_ns,
    case
        when model_call.start_time_ns is null then 'no_start_time'
        when model_call.end_time_ns is null then 'unfinished'
        when model_call.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from model_call
left join trace using (trace_id);
