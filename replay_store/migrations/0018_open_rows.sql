-- What the open traces add; the same is added to the rollups when they are sealed.
create view open_call as
select
    tool_call_open.trace_id,
    tool_call_open.call_index,
    tool_call_open.tool_name,
    tool_call_open.is_pseudo,
    tool_call_open.is_executed,
    tool_call_open.status,
    tool_call_open.error_type,
    tool_call_open.n_attempts,
    tool_call_open.call_index = tool_call_open.retry_root as is_head,
    tool_call_open.duration_ns,
    (coalesce(tool_call_open.start_time_ns, trace_open.start_time_ns) // 3600000000000)::integer as hour,
    case
        when coalesce(tool_call_open.start_time_ns, trace_open.start_time_ns) is null
            then 'no_start_time'
        when tool_call_open.is_pseudo then 'pseudo_tool'
        when tool_call_open.status = 'blocked' then 'blocked'
        when not tool_call_open.is_executed then 'never_executed'
        when tool_call_open.start_time_ns is null then 'no_start_time'
        when tool_call_open.end_time_ns is null then 'unfinished'
        when tool_call_open.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason,
    case
        when tool_call_open.status = 'blocked' then 'blocked'
        when not tool_call_open.is_executed then 'never_executed'
        when tool_call_open.status in ('ok', 'error') then tool_call_open.status
        else 'unknown'
    end as outcome
from tool_call_open
left join trace_open using (trace_id);

create view open_chain as
select
    open_call.trace_id,
    open_call.tool_name,
    open_call.hour,
    coalesce(call_retry_open.n_tries, greatest(open_call.n_attempts, 1)) as n_tries,
    coalesce(call_retry_open.is_explicit, open_call.n_attempts > 1) as is_explicit,
    coalesce(call_retry_open.last_status, open_call.status) as last_status,
    case
        when open_call.hour is null then 'no_start_time'
        when open_call.is_pseudo then 'pseudo_tool'
        when open_call.status = 'blocked' then 'blocked'
        when not open_call.is_executed then 'never_executed'
        else 'counted'
    end as reason
from open_call
left join call_retry_open using (trace_id, call_index)
where open_call.is_head;

create view open_attempt as
select
    attempt_open.trace_id,
    attempt_open.duration_ns,
    (coalesce(attempt_open.start_time_ns, trace_open.start_time_ns) // 3600000000000)::integer as hour,
    case
        when coalesce(attempt_open.start_time_ns, trace_open.start_time_ns) is null
            then 'no_start_time'
        when tool_call_open.is_pseudo then 'pseudo_tool'
        when attempt_open.status = 'blocked' then 'blocked'
        when attempt_open.start_time_ns is null then 'no_start_time'
        when attempt_open.end_time_ns is null then 'unfinished'
        when attempt_open.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from attempt_open
inner join tool_call_open using (trace_id, call_index)
left join trace_open using (trace_id);

create view open_model_call as
select
    model_call_open.trace_id,
    model_call_open.duration_ns,
    (coalesce(model_call_open.start_time_ns, trace_open.start_time_ns) // 3600000000000)::integer
        as hour,
    case
        when model_call_open.start_time_ns is null then 'no_start_time'
        when model_call_open.end_time_ns is null then 'unfinished'
        when model_call_open.duration_ns is null then 'negative_duration'
        else 'counted'
    end as reason
from model_call_open
left join trace_open using (trace_id);

create view open_evaluation as
select
    guard_evaluation_open.trace_id,
    coalesce(guard_evaluation_open.tool_name, '') as tool_name,
    coalesce(guard_evaluation_open.rule, '') as rule,
    guard_evaluation_open.is_hit,
    (coalesce(guard_evaluation_open.time_ns, trace_open.start_time_ns) // 3600000000000)::integer
        as hour,
    case
        when coalesce(guard_evaluation_open.time_ns, trace_open.start_time_ns) is null
            then 'no_start_time'
        when guard_evaluation_open.is_synthetic then 'synthetic'
        when guard_evaluation_open.decision in ('unknown', 'pending') then 'no_verdict'
        else 'counted'
    end as reason
from guard_evaluation_open
left join trace_open using (trace_id);

create view open_count as
select
    trace_id,
    hour,
    'attempt' as counted,
    '' as tool_name,
    '' as name,
    reason as kind,
    1 as n
from open_attempt
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    'model' as counted,
    '' as tool_name,
    '' as name,
    reason as kind,
    1 as n
from open_model_call
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    'chain' as counted,
    tool_name,
    '' as name,
    reason as kind,
    1 as n
from open_chain
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    'chain' as counted,
    tool_name,
    '' as name,
    'retry' as kind,
    n_tries - 1 as n
from open_chain
where reason = 'counted' and n_tries > 1
union all
select
    trace_id,
    hour,
    'chain' as counted,
    tool_name,
    '' as name,
    'explicit' as kind,
    1 as n
from open_chain
where reason = 'counted' and n_tries > 1 and is_explicit
union all
select
    open_call.trace_id,
    open_call.hour,
    'call' as counted,
    open_call.tool_name,
    '' as name,
    'futile_retry' as kind,
    call_retry_open.n_futile as n
from open_call
inner join call_retry_open using (trace_id, call_index)
where call_retry_open.n_futile > 0
    and open_call.hour is not null
union all
select
    trace_id,
    hour,
    'evaluation' as counted,
    tool_name,
    rule as name,
    reason as kind,
    1 as n
from open_evaluation
where reason <> 'counted';

create view open_time as
select
    trace_id,
    hour,
    'call' as counted,
    tool_name,
    duration_ns
from open_call
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'attempt' as counted,
    '' as tool_name,
    duration_ns
from open_attempt
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'model' as counted,
    '' as tool_name,
    duration_ns
from open_model_call
where reason = 'counted';

-- One row a trace, hour, tool and name.
create view open_share as
with counted as (
    select
        trace_id,
        hour,
        'retry' as share,
        tool_name,
        null as name,
        (n_tries > 1)::integer as y
    from open_chain
    where reason = 'counted'
    union all
    select
        trace_id,
        hour,
        'retry_success' as share,
        tool_name,
        null as name,
        (last_status = 'ok')::integer as y
    from open_chain
    where reason = 'counted'
        and n_tries > 1
        and last_status in ('ok', 'error')
    union all
    select
        trace_id,
        hour,
        'error' as share,
        tool_name,
        error_type as name,
        0 as y
    from open_call
    where outcome = 'error'
        and not is_pseudo
        and hour is not null
    union all
    select
        trace_id,
        hour,
        'guard' as share,
        tool_name,
        rule as name,
        is_hit::integer as y
    from open_evaluation
    where reason = 'counted'
)

select
    trace_id,
    hour,
    share,
    tool_name,
    name,
    count(*) as n,
    sum(y)::bigint as numerator
from counted
group by trace_id, hour, share, tool_name, name;

create view open_task as
select
    trace_id,
    task_id = hex_trace(trace_id) as is_own,
    task_key(task_id) as task_key,
    start_time_ns,
    is_finished,
    n_steps,
    longest_identical_run
from trace_open;

-- Everything is open until the next look at what is quiet, which fills the rollups.
insert into trace_open by name from trace_sealed;
insert into tool_call_open by name from tool_call_sealed;
insert into attempt_open by name from attempt_sealed;
insert into decision_open by name from decision_sealed;
insert into guard_evaluation_open by name from guard_evaluation_sealed;
delete from trace_sealed;
delete from tool_call_sealed;
delete from attempt_sealed;
delete from decision_sealed;
delete from guard_evaluation_sealed;

insert into model_call_open by name
with called as (
    select
        llm_call.trace_id,
        llm_call.span_id,
        span.parent_span_id,
        coalesce(llm_call.response_model, llm_call.request_model) as model,
        span.start_time_ns,
        span.end_time_ns,
        span.duration_ns,
        span.hour,
        span.lat_bucket
    from llm_call
    inner join span_role using (trace_id, span_id, record_hash)
    inner join span using (trace_id, span_id, record_hash)
    where span_role.role = 'model'
    qualify row_number() over (
        partition by llm_call.trace_id, llm_call.span_id
        order by version_order(
            span.end_time_ns, span.received_time_ns, span.record_index, span.record_hash
        ) desc
    ) = 1
)

select called.* exclude (parent_span_id)
from called
anti join called as parent
    on called.trace_id = parent.trace_id
    and called.parent_span_id = parent.span_id
where called.trace_id in (select trace_open.trace_id from trace_open);

-- Derive says what trying again made of the calls of these traces; the others tried nothing again.
insert into dirty_trace by name
select
    trace_id,
    coalesce(first_received_time_ns, last_received_time_ns) as first_received_time_ns,
    last_received_time_ns
from trace_open
where coalesce(n_retries, 1) > 0;
