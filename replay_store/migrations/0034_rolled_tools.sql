-- What is asked of one tool, in rollups: how long its attempts took, how often guards stopped it, who
-- called it, how it was retried, what came after its errors, whether its keys keep their word.

create or replace view open_call as
select
    tool_call_open.trace_id,
    tool_call_open.call_index,
    tool_call_open.turn_index,
    tool_call_open.tool_name,
    tool_call_open.caller,
    tool_call_open.is_pseudo,
    tool_call_open.is_executed,
    tool_call_open.status,
    tool_call_open.error_type,
    tool_call_open.arguments_hash,
    tool_call_open.step_index,
    tool_call_open.idempotency_key,
    tool_call_open.degradation,
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

create or replace view open_attempt as
select
    attempt_open.trace_id,
    attempt_open.tool_name,
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

create or replace view open_time as
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
    tool_name,
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

-- What rates are about, one row a case: a chain, a failed call, an evaluation. 'guard_of_tool' are the
-- evaluations once more, whatever their rule.
create or replace view open_case as
with chains as (
    select
        trace_id,
        hour,
        tool_name,
        n_tries > 1 as is_retried,
        last_status,
        unnest(
            case
                when n_tries > 1 and last_status in ('ok', 'error') then ['retry', 'retry_success']
                else ['retry']
            end
        ) as share
    from open_chain
    where reason = 'counted'
)

select
    trace_id,
    hour,
    share,
    tool_name,
    null::varchar as name,
    case when share = 'retry' then is_retried else last_status = 'ok' end::integer as numerator
from chains
union all
select
    trace_id,
    hour,
    'error' as share,
    tool_name,
    error_type as name,
    0 as numerator
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
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted'
union all
select
    trace_id,
    hour,
    'guard_of_tool' as share,
    tool_name,
    null::varchar as name,
    is_hit::integer as numerator
from open_evaluation
where reason = 'counted';

-- What the model did right after a call failed: the first call of the next turn, or none.
create view open_after_error as
with failed as (
    select
        trace_id,
        turn_index,
        call_index,
        tool_name,
        arguments_hash,
        hour,
        upper(coalesce(error_type, '')) as error_type
    from open_call
    where status = 'error'
        and is_executed
        and not is_pseudo
        and turn_index is not null
        and hour is not null
),

next_turn as (
    select
        failed.trace_id,
        failed.call_index,
        min(decision_open.turn_index) as turn_index
    from failed
    inner join decision_open
        on failed.trace_id = decision_open.trace_id
        and failed.turn_index < decision_open.turn_index
    where not decision_open.is_pseudo
    group by failed.trace_id, failed.call_index
),

answered as (
    select
        failed.trace_id,
        failed.hour,
        failed.tool_name,
        failed.error_type,
        count(again.trace_id) as n_calls,
        coalesce(bool_or(again.tool_name = failed.tool_name), false) as is_same_tool,
        coalesce(
            bool_or(
                again.tool_name = failed.tool_name and again.arguments_hash = failed.arguments_hash
            ),
            false
        ) as is_repeat,
        coalesce(bool_or(again.tool_name = failed.tool_name and again.status = 'ok'), false)
            as is_same_tool_ok
    from failed
    inner join next_turn using (trace_id, call_index)
    left join tool_call_open as again
        on next_turn.trace_id = again.trace_id
        and next_turn.turn_index = again.turn_index
        and not again.is_pseudo
    group by failed.trace_id, failed.call_index, failed.hour, failed.tool_name, failed.error_type
)

select
    trace_id,
    hour,
    tool_name,
    error_type,
    unnest(
        case
            when n_calls = 0 then ['none']
            when is_repeat then ['repeated']
            when is_same_tool and is_same_tool_ok then ['corrected', 'corrected_ok']
            when is_same_tool then ['corrected']
            else ['other_tool']
        end
    ) as step
from answered;

-- Retried chains of one trace, placed at their first call, by the error that was first retried.
create view open_retried as
with retried as (
    select distinct
        trace_id,
        retry_root
    from tool_call_open
    where call_index <> retry_root
        or n_attempts > 1
),

call as (
    select
        tool_call_open.*,
        greatest(tool_call_open.n_attempts, 1) as n_tries
    from tool_call_open
    semi join retried using (trace_id, retry_root)
    where tool_call_open.is_executed
        and not tool_call_open.is_pseudo
        and tool_call_open.status <> 'blocked'
),

first_failure as (
    select
        trace_id,
        call_index,
        arg_min(upper(coalesce(error_type, '')), attempt_index) as error_type
    from attempt_open
    semi join call using (trace_id, call_index)
    where status = 'error'
    group by trace_id, call_index
),

chain as (
    select
        call.trace_id,
        call.retry_root,
        max(case when call.call_index = call.retry_root then call.start_time_ns end) as start_time_ns,
        max(case when call.call_index = call.retry_root then call.tool_name end) as tool_name,
        arg_min(
            coalesce(nullif(first_failure.error_type, ''), upper(coalesce(call.error_type, ''))),
            call.call_index
        ) as error_type,
        sum(call.n_tries)::bigint - 1 as n_retries,
        bool_or(call.n_attempts > 1 or coalesce(call.retry_kind = 'explicit', false)) as is_explicit,
        coalesce(
            bool_or(call.n_tries > 1 and is_final_error(first_failure.error_type)), false
        ) as has_futile_attempts,
        count(*) as n_calls,
        count(distinct call.arguments_hash) as n_arguments,
        arg_max(call.status, call.call_index) as last_status,
        max(case when call.n_tries > 1 then call.duration_ns end) as longest_ns
    from call
    left join first_failure using (trace_id, call_index)
    group by call.trace_id, call.retry_root
)

select
    trace_id,
    (start_time_ns // 3600000000000)::integer as hour,
    tool_name,
    error_type,
    n_retries,
    is_explicit,
    last_status,
    has_futile_attempts or (is_final_error(error_type) and n_arguments < n_calls) as is_futile,
    n_retries > 3 or coalesce(longest_ns > 8000000000, false) as is_over_budget
from chain
where n_retries > 0
    and tool_name is not null
    and start_time_ns is not null;

-- Calls with an idempotency key, and steps with one: a step is placed at its first such call.
create view open_key as
with keyed as (
    select
        open_call.trace_id,
        open_call.tool_name,
        open_call.hour,
        open_call.step_index,
        open_call.idempotency_key,
        case
            when length(open_call.idempotency_key) = 32
                then open_call.idempotency_key
                    = left(sha256(concat(trace_open.task_id, ':', open_call.step_index::varchar)), 32)
            else false
        end as is_deterministic
    from open_call
    left join trace_open using (trace_id)
    where open_call.outcome in ('ok', 'error', 'unknown')
        and not open_call.is_pseudo
        and open_call.hour is not null
        and open_call.idempotency_key is not null
)

select
    trace_id,
    hour,
    tool_name,
    unnest(case when is_deterministic then ['with_key', 'deterministic'] else ['with_key'] end) as kind
from keyed
union all
select
    trace_id,
    min(hour) as hour,
    tool_name,
    unnest(
        case when count(distinct idempotency_key) > 1 then ['step', 'step_with_several'] else ['step'] end
    ) as kind
from keyed
where step_index is not null
group by trace_id, tool_name, step_index;

-- What is counted of one tool beside rates and durations. `name` is a caller or an error class.
create view open_tool_count as
with executed as (
    select *
    from open_call
    where outcome in ('ok', 'error', 'unknown')
        and not is_pseudo
        and hour is not null
)

select
    trace_id,
    hour,
    tool_name,
    'attempt' as counted,
    '' as name,
    reason as kind,
    1 as n
from open_attempt
where reason <> 'counted'
union all
select
    trace_id,
    hour,
    tool_name,
    'caller' as counted,
    coalesce(caller, '') as name,
    '' as kind,
    1 as n
from executed
union all
select
    trace_id,
    hour,
    tool_name,
    'degraded' as counted,
    '' as name,
    degradation as kind,
    1 as n
from executed
where degradation is not null
union all
select
    trace_id,
    hour,
    tool_name,
    'key' as counted,
    '' as name,
    kind,
    1 as n
from open_key
union all
select
    trace_id,
    hour,
    tool_name,
    'after_error' as counted,
    error_type as name,
    step as kind,
    1 as n
from open_after_error
union all
select
    trace_id,
    hour,
    tool_name,
    'retried' as counted,
    error_type as name,
    fact.kind,
    fact.n
from open_retried
cross join lateral (
    values
        ('chain', 1),
        ('retry', n_retries),
        ('explicit', is_explicit::integer),
        ('futile', is_futile::integer),
        ('over_budget', is_over_budget::integer),
        ('ok', (last_status = 'ok')::integer),
        ('error', (last_status = 'error')::integer)
) as fact (kind, n)
where fact.n > 0;

-- By hour; the rows of one tool in an hour lie together.
create table rollup_tool_count (
    hour integer,
    tool_name varchar not null,
    counted varchar not null,
    name varchar not null,
    kind varchar not null,
    n bigint not null
);
-- Durations of attempts too, in stretches of an hour and of a day.
alter table rollup_tool_time add column counted varchar default 'call';

-- What is sealed is told by the same views: for a moment it stands where they look.
alter table trace_open rename to trace_aside;
alter table tool_call_open rename to tool_call_aside;
alter table attempt_open rename to attempt_aside;
alter table decision_open rename to decision_aside;
alter table guard_evaluation_open rename to guard_evaluation_aside;
alter table trace_sealed rename to trace_open;
alter table tool_call_sealed rename to tool_call_open;
alter table attempt_sealed rename to attempt_open;
alter table decision_sealed rename to decision_open;
alter table guard_evaluation_sealed rename to guard_evaluation_open;

insert into rollup_tool_count by name
select
    hour,
    tool_name,
    counted,
    name,
    kind,
    sum(n)::bigint as n
from open_tool_count
group by all
order by hour, tool_name, counted;

insert into rollup_tool_time by name
select
    n_hours,
    hour - hour % n_hours as hour,
    counted,
    tool_name,
    latency_bucket(duration_ns) as lat_bucket,
    count(*) as n
from open_time
cross join (values (1::smallint), (24::smallint)) as stretch (n_hours)
where counted = 'attempt'
group by all
order by n_hours, hour, tool_name, lat_bucket;

create temp table evaluated as
select
    trace_id,
    hour,
    tool_name,
    n,
    numerator,
    min(hour) over (partition by trace_id) < max(hour) over (partition by trace_id) as is_crossing,
    min(hour // 24) over (partition by trace_id) < max(hour // 24) over (partition by trace_id)
        as is_of_days
from open_share
where share = 'guard_of_tool';
insert into rollup_crossing by name
select
    trace_id,
    hour,
    is_of_days,
    'guard_of_tool' as share,
    tool_name,
    n,
    numerator
from evaluated
where is_crossing;
insert into rollup_share by name
select
    hour,
    'guard_of_tool' as share,
    false as is_whole,
    tool_name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    count(*) as n_clusters,
    sum(numerator * numerator)::bigint as yy,
    sum(numerator * n)::bigint as ym,
    sum(n * n)::bigint as mm
from evaluated
where not is_crossing
group by hour, tool_name
order by hour, tool_name;
insert into rollup_share_day by name
with daily as (
    select
        hour // 24 as day,
        trace_id,
        tool_name,
        sum(n)::bigint as n,
        sum(numerator)::bigint as numerator
    from evaluated
    where not is_of_days
    group by all
)

select
    day,
    'guard_of_tool' as share,
    false as is_whole,
    tool_name,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    count(*) as n_clusters,
    sum(numerator * numerator)::bigint as yy,
    sum(numerator * n)::bigint as ym,
    sum(n * n)::bigint as mm
from daily
group by day, tool_name
order by day, tool_name;
drop table evaluated;

alter table trace_open rename to trace_sealed;
alter table tool_call_open rename to tool_call_sealed;
alter table attempt_open rename to attempt_sealed;
alter table decision_open rename to decision_sealed;
alter table guard_evaluation_open rename to guard_evaluation_sealed;
alter table trace_aside rename to trace_open;
alter table tool_call_aside rename to tool_call_open;
alter table attempt_aside rename to attempt_open;
alter table decision_aside rename to decision_open;
alter table guard_evaluation_aside rename to guard_evaluation_open;
