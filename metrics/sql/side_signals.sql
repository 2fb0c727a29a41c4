-- What: rates of one side of a comparison, in all and by tool ('' for what is of no tool): traces of a
--   period, perhaps only those that use one version of a tool's contract, one model or one template.
-- Unit: by signal: decisions, calls, cells, observations, model calls; weighted decisions for
--   accuracy. Denominator: of each signal its own; n counts its cases.
-- Excluded: traces without a start; pseudo tools, blocked and never executed calls; decisions that
--   nobody judged; versions of one span but the newest.
-- Sums over traces are the moments of the clustered interval: yy = sum of y * y, and so on.
with picked as (
    select trace_id
    from side_traces(
        $start_time_ns,
        $end_time_ns,
        $agent_name,
        $tool_name,
        $contract_version,
        $model,
        $template
    )
),

call as (
    select
        c.trace_id,
        c.call_index,
        c.tool_name,
        c.arguments_hash,
        c.status,
        upper(coalesce(c.error_type, '')) as error_type,
        c.n_attempts,
        c.retry_root,
        c.degradation
    from tool_call as c
    inner join picked as p on p.trace_id = c.trace_id
    where
        c.is_executed
        and not c.is_pseudo
        and c.status <> 'blocked'
        and ($tool_name is null or c.tool_name = $tool_name)
        and ($contract_version is null or c.contract_version = $contract_version)
),

repeated as (
    select distinct
        n.trace_id,
        n.call_index
    from call as n
    inner join call as f
        on
            f.trace_id = n.trace_id
            and f.tool_name = n.tool_name
            and f.arguments_hash = n.arguments_hash
            and f.call_index < n.call_index
    where f.status = 'ok'
),

chain as (
    select
        trace_id,
        retry_root,
        argMin(tool_name, call_index) as tool_name,
        sum(case when n_attempts > 1 then n_attempts else 1 end) as n_tries,
        argMax(status, call_index) as last_status
    from call
    group by trace_id, retry_root
),

seen as (
    select
        o.trace_id,
        o.n_cells,
        o.n_multi_source_cells as n_multi,
        o.n_conflicts,
        o.n_unknown,
        o.n_unparsed,
        o.n_fragments,
        o.n_failed,
        o.n_outputs,
        coalesce(o.n_noise_hit, 0) as n_noise_hit
    from observation_current as o
    inner join picked as p on p.trace_id = o.trace_id
    where $tool_name is null or list_contains(o.tool_names, $tool_name)
),

model_call as (
    select
        l.trace_id,
        l.span_id,
        max(case when lower(l.finish_reason) in ('length', 'max_tokens') then 1 else 0 end) as is_cut,
        max(case when r.is_error then 1 else 0 end) as is_error
    from llm_call as l
    inner join picked as p on p.trace_id = l.trace_id
    inner join span_role as r
        on r.trace_id = l.trace_id and r.span_id = l.span_id and r.record_hash = l.record_hash
    where
        r.role = 'model'
        and ($model is null or coalesce(l.response_model, l.request_model) = $model)
    group by l.trace_id, l.span_id
),

judged as (
    select
        d.trace_id,
        d.tool_name,
        d.weight,
        d.is_selection_ok as is_ok
    from judged_decision as d
    inner join picked as p on p.trace_id = d.trace_id
    where
        d.source = 'audit'
        and d.has_selection = 1
        and ($tool_name is null or d.tool_name = $tool_name)
        and ($contract_version is null or d.contract_version = $contract_version)
        and ($model is null or d.model = $model)
),

scoped as (
    select
        'selection_accuracy' as signal,
        trace_id,
        tool_name,
        is_ok * weight as y,
        weight as m,
        1 as n
    from judged
    union all
    select
        'redundant_calls' as signal,
        c.trace_id,
        c.tool_name,
        case when r.trace_id is null then 0 else 1 end as y,
        1 as m,
        1 as n
    from call as c
    left join repeated as r on r.trace_id = c.trace_id and r.call_index = c.call_index
    union all
    select
        'invalid_arguments' as signal,
        trace_id,
        tool_name,
        case when error_type = 'INVALID_ARGUMENT' then 1 else 0 end as y,
        1 as m,
        1 as n
    from call
    union all
    select
        'timeouts' as signal,
        trace_id,
        tool_name,
        case when error_type = 'TIMEOUT' then 1 else 0 end as y,
        1 as m,
        1 as n
    from call
    union all
    select
        'call_errors' as signal,
        trace_id,
        tool_name,
        case
            when
                status = 'error'
                and error_type not in ('INVALID_ARGUMENT', 'TIMEOUT', 'NOT_FOUND', 'PERMISSION')
                then 1
            else 0
        end as y,
        1 as m,
        1 as n
    from call
    union all
    select
        'degraded_answers' as signal,
        trace_id,
        tool_name,
        case when degradation is null then 0 else 1 end as y,
        1 as m,
        1 as n
    from call
    union all
    select
        'retry_rate' as signal,
        trace_id,
        tool_name,
        case when n_tries > 1 then 1 else 0 end as y,
        1 as m,
        1 as n
    from chain
    union all
    select
        'retry_success_rate' as signal,
        trace_id,
        tool_name,
        case when last_status = 'ok' then 1 else 0 end as y,
        1 as m,
        1 as n
    from chain
    where n_tries > 1 and last_status in ('ok', 'error')
    union all
    select
        'unknown_share' as signal,
        trace_id,
        '' as tool_name,
        n_unknown as y,
        n_cells as m,
        n_cells as n
    from seen
    union all
    select
        'conflict_share' as signal,
        trace_id,
        '' as tool_name,
        n_conflicts as y,
        n_multi as m,
        n_multi as n
    from seen
    union all
    select
        'unparsed_share' as signal,
        trace_id,
        '' as tool_name,
        n_unparsed as y,
        n_fragments as m,
        n_fragments as n
    from seen
    union all
    select
        'failed_outputs' as signal,
        trace_id,
        '' as tool_name,
        n_failed as y,
        n_outputs as m,
        n_outputs as n
    from seen
    union all
    select
        'noise_exposure' as signal,
        trace_id,
        '' as tool_name,
        case when n_noise_hit > 0 then 1 else 0 end as y,
        1 as m,
        1 as n
    from seen
    union all
    select
        'cut_answers' as signal,
        trace_id,
        '' as tool_name,
        is_cut as y,
        1 as m,
        1 as n
    from model_call
    union all
    select
        'model_errors' as signal,
        trace_id,
        '' as tool_name,
        is_error as y,
        1 as m,
        1 as n
    from model_call
),

by_trace as (
    select
        signal,
        tool_name,
        trace_id,
        sum(y) as y,
        sum(m) as m,
        sum(n) as n
    from scoped
    group by grouping sets (
        (signal, trace_id),
        (signal, tool_name, trace_id)
    )
),

final as (
    select
        signal,
        tool_name,
        sum(n) as n,
        sum(y) as numerator,
        sum(m) as denominator,
        sum(case when m > 0 then 1 else 0 end) as n_clusters,
        sum(y * y) as yy,
        sum(y * m) as ym,
        sum(m * m) as mm
    from by_trace
    group by signal, tool_name
)

select
    signal,
    tool_name,
    n,
    numerator,
    denominator,
    n_clusters,
    yy,
    ym,
    mm
from final
order by
    signal,
    tool_name nulls first
