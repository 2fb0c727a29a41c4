-- Rollups: what figures over long periods read instead of rows. They hold the sealed traces and
-- nothing else: a trace is added when it is sealed and taken out when it opens again, so that figures
-- are rollups + open rows. Hours are hours since the epoch, UTC; NULL stands for no time.

-- Model calls, derived: the current version of each model span; of model spans inside model spans (double
-- instrumentation) the outermost.
create table model_call_open (
    trace_id uuid not null,
    span_id ubigint not null,
    model varchar,
    start_time_ns bigint,
    end_time_ns bigint,
    duration_ns bigint,
    hour integer,
    lat_bucket smallint
);
create table model_call_sealed as from model_call_open;
create view model_call as from model_call_open union all from model_call_sealed;

-- What trying again made of a call, said at one row because the tries may lie in several linked
-- traces: of the first call of a chain its tries and end, of any call its tries that could not help.
-- Calls of which nothing of this is to be said have no row.
create table call_retry_open (
    trace_id uuid not null,
    call_index integer not null,
    n_tries integer,
    is_explicit boolean,
    last_status varchar,
    n_futile integer not null
);
create table call_retry_sealed as from call_retry_open;
create view call_retry as from call_retry_open union all from call_retry_sealed;

-- Calls by hour, tool, how they ended and why they do not count in a latency ('counted': they do).
create table rollup_call (
    hour integer,
    tool_name varchar not null,
    reason varchar not null,
    outcome varchar not null,
    is_executed boolean not null,
    n bigint not null
);
-- What else is counted by hour: attempts, model calls, chains, guard evaluations that are left out,
-- and retries by kind. `name` is the rule of an evaluation.
create table rollup_count (
    hour integer,
    counted varchar not null,
    tool_name varchar not null,
    name varchar not null,
    kind varchar not null,
    n bigint not null
);
-- Durations by hour and latency bucket (2 % wide); the same by day, which long periods read.
create table rollup_time (
    hour integer not null,
    counted varchar not null,
    tool_name varchar not null,
    lat_bucket smallint not null,
    n bigint not null,
    total_ns bigint not null
);
create table rollup_time_day (
    day integer not null,
    counted varchar not null,
    tool_name varchar not null,
    lat_bucket smallint not null,
    n bigint not null,
    total_ns bigint not null
);
-- Rates by hour, with the moments over traces that their intervals need; each whole (is_whole) and by
-- tool and name (rule, error class). Only traces that lie in one hour; by day, in one day.
create table rollup_share (
    hour integer not null,
    share varchar not null,
    is_whole boolean not null,
    tool_name varchar not null,
    name varchar,
    n bigint not null,
    numerator bigint not null,
    n_clusters bigint not null,
    yy bigint not null,
    ym bigint not null,
    mm bigint not null
);
create table rollup_share_day (
    day integer not null,
    share varchar not null,
    is_whole boolean not null,
    tool_name varchar not null,
    name varchar,
    n bigint not null,
    numerator bigint not null,
    n_clusters bigint not null,
    yy bigint not null,
    ym bigint not null,
    mm bigint not null
);
-- Sealed traces of several hours, one row an hour: which of these belong together depends on the period
-- that is asked about.
create table rollup_crossing (
    trace_id uuid not null,
    hour integer not null,
    is_of_days boolean not null,
    share varchar not null,
    tool_name varchar not null,
    name varchar,
    n bigint not null,
    numerator bigint not null
);
-- Tasks of one sealed trace, by the hour of their start.
create table rollup_task (
    hour integer,
    reason varchar not null,
    n_steps integer,
    is_repeating boolean not null,
    n bigint not null
);
-- Sealed traces whose task may hold others: a task is counted when its traces are seen together.
create table task_part (
    trace_id uuid not null,
    task_key ubigint not null,
    start_time_ns bigint,
    is_finished boolean not null,
    n_steps integer,
    longest_identical_run integer
);

create macro latency_bucket(duration_ns) as case
    when duration_ns < 1000 then 0
    else floor(ln(duration_ns / 1000) / 0.0198026)::smallint
end;
-- The middle of a bucket: at most 1 % from every duration in it. Nanoseconds.
create macro bucket_middle_ns(lat_bucket) as 1000 * exp(0.0198026 * (lat_bucket + 0.5));
create macro task_key(task_id) as md5_number_lower(task_id);

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

-- What metrics ask of rollups and open rows together, for the hours before_hour <= start_hour <=
-- end_hour: is_now tells those from start_hour on. Rows without a time count as now.

-- Rates with their moments over traces; whole and by tool and name, each over its period (bucket_time_ns
-- NULL) and in each bucket. The days that lie whole in first_day_hour..start_day_hour and
-- next_day_hour..end_day_hour are read from rollup_share_day, the other hours from rollup_share.
create macro rolled_shares(
    before_hour, first_day_hour, start_day_hour, start_hour, next_day_hour, end_day_hour, end_hour,
    bucket_ns
) as table
with apart as (
    select
        trace_id,
        hour,
        share,
        tool_name,
        name,
        n,
        numerator
    from rollup_crossing
    where hour >= before_hour
        and hour < end_hour
        and (
            is_of_days
            or hour < first_day_hour
            or (hour >= start_day_hour and hour < next_day_hour)
            or hour >= end_day_hour
        )
    union all
    select
        trace_id,
        hour,
        share,
        tool_name,
        name,
        n,
        numerator
    from open_share
    where hour >= before_hour
        and hour < end_hour
),

placed as (
    select
        trace_id,
        (hour >= start_hour)::integer as is_now,
        hour * 3600000000000 - (hour * 3600000000000) % bucket_ns as bucket_time_ns,
        share,
        tool_name,
        name,
        n,
        numerator
    from apart
),

by_trace as (
    select
        trace_id,
        is_now,
        share,
        grouping(tool_name) = 1 as is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator
    from placed
    group by grouping sets (
        (trace_id, is_now, share),
        (trace_id, is_now, share, tool_name, name),
        (trace_id, is_now, share, bucket_time_ns),
        (trace_id, is_now, share, tool_name, name, bucket_time_ns)
    )
),

rolled as (
    select
        hour,
        share,
        is_whole,
        tool_name,
        name,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rollup_share
    where hour < end_hour
        and (
            (hour >= before_hour and hour < first_day_hour)
            or (hour >= start_day_hour and hour < next_day_hour)
            or hour >= end_day_hour
        )
    union all
    select
        day * 24 as hour,
        share,
        is_whole,
        tool_name,
        name,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rollup_share_day
    where (day * 24 >= first_day_hour and day * 24 < start_day_hour)
        or (day * 24 >= next_day_hour and day * 24 < end_day_hour)
),

together as (
    select
        (hour >= start_hour)::integer as is_now,
        hour * 3600000000000 - (hour * 3600000000000) % bucket_ns as bucket_time_ns,
        share,
        is_whole,
        case when is_whole then null else tool_name end as tool_name,
        name,
        n,
        numerator,
        n_clusters,
        yy,
        ym,
        mm
    from rolled
),

summed as (
    select
        is_now,
        share,
        is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator,
        sum(n_clusters) as n_clusters,
        sum(yy) as yy,
        sum(ym) as ym,
        sum(mm) as mm
    from together
    group by grouping sets (
        (is_now, share, is_whole, tool_name, name),
        (is_now, share, is_whole, tool_name, name, bucket_time_ns)
    )
    union all
    select
        is_now,
        share,
        is_whole,
        tool_name,
        name,
        bucket_time_ns,
        sum(n) as n,
        sum(numerator) as numerator,
        count(*) as n_clusters,
        sum(numerator * numerator) as yy,
        sum(numerator * n) as ym,
        sum(n * n) as mm
    from by_trace
    group by is_now, share, is_whole, tool_name, name, bucket_time_ns
)

select
    is_now,
    share,
    is_whole,
    tool_name,
    name,
    bucket_time_ns,
    sum(n)::bigint as n,
    sum(numerator)::bigint as numerator,
    sum(n_clusters)::bigint as n_clusters,
    sum(yy)::double as yy,
    sum(ym)::double as ym,
    sum(mm)::double as mm
from summed
group by is_now, share, is_whole, tool_name, name, bucket_time_ns;

-- What is counted beside them, by hour; is_now and bucket_time_ns as above.
create macro rolled_counts(before_hour, start_hour, end_hour, bucket_ns) as table
with counted_rows as (
    select
        hour,
        counted,
        tool_name,
        name,
        kind,
        n
    from rollup_count
    union all
    select
        hour,
        counted,
        tool_name,
        name,
        kind,
        n
    from open_count
)

select
    case when hour < start_hour then 0 else 1 end as is_now,
    coalesce(hour, start_hour) * 3600000000000
        - (coalesce(hour, start_hour) * 3600000000000) % bucket_ns as bucket_time_ns,
    hour is not null as is_placed,
    counted,
    tool_name,
    name,
    kind,
    sum(n)::bigint as n
from counted_rows
where hour is null
    or (hour >= before_hour and hour < end_hour)
group by all;

-- Calls likewise.
create macro rolled_calls(before_hour, start_hour, end_hour, bucket_ns) as table
with calls as (
    select
        hour,
        tool_name,
        reason,
        outcome,
        is_executed,
        n
    from rollup_call
    union all
    select
        hour,
        tool_name,
        reason,
        outcome,
        is_executed,
        1 as n
    from open_call
)

select
    case when hour < start_hour then 0 else 1 end as is_now,
    coalesce(hour, start_hour) * 3600000000000
        - (coalesce(hour, start_hour) * 3600000000000) % bucket_ns as bucket_time_ns,
    hour is not null as is_placed,
    tool_name,
    reason,
    outcome,
    is_executed,
    sum(n)::bigint as n
from calls
where hour is null
    or (hour >= before_hour and hour < end_hour)
group by all;

-- Quantiles of durations in nanoseconds, each within 1 % of the exact one, of tool only_tool alone unless
-- that is NULL; whole, by tool and by bucket. The days that lie whole in first_day_hour..start_day_hour
-- and next_day_hour..end_day_hour are read from rollup_time_day, the other hours from rollup_time.
-- Over whole periods lat_buckets and lat_counts say how many durations lie in which latency bucket.
create macro rolled_quantiles(
    only_tool, before_hour, first_day_hour, start_day_hour, start_hour, next_day_hour,
    end_day_hour, end_hour, bucket_ns, q
) as table
with times as (
    select
        hour,
        counted,
        tool_name,
        lat_bucket,
        n,
        total_ns
    from rollup_time
    where hour < end_hour
        and (
            (hour >= before_hour and hour < first_day_hour)
            or (hour >= start_day_hour and hour < next_day_hour)
            or hour >= end_day_hour
        )
    union all
    select
        day * 24 as hour,
        counted,
        tool_name,
        lat_bucket,
        n,
        total_ns
    from rollup_time_day
    where (day * 24 >= first_day_hour and day * 24 < start_day_hour)
        or (day * 24 >= next_day_hour and day * 24 < end_day_hour)
    union all
    select
        hour,
        counted,
        tool_name,
        latency_bucket(duration_ns) as lat_bucket,
        1 as n,
        duration_ns as total_ns
    from open_time
    where hour >= before_hour
        and hour < end_hour
),

placed as (
    select
        (hour >= start_hour)::integer as is_now,
        counted,
        tool_name,
        hour * 3600000000000 - (hour * 3600000000000) % bucket_ns as bucket_time_ns,
        lat_bucket,
        n,
        total_ns
    from times
    where only_tool is null
        or tool_name = only_tool
),

counted_times as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        lat_bucket,
        sum(n) as n,
        sum(total_ns) as total_ns
    from placed
    group by grouping sets (
        (is_now, counted, lat_bucket),
        (is_now, counted, tool_name, lat_bucket),
        (is_now, counted, bucket_time_ns, lat_bucket)
    )
),

ranked as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        lat_bucket,
        bucket_middle_ns(lat_bucket) as middle_ns,
        n,
        total_ns,
        sum(n) over (
            partition by is_now, counted, tool_name, bucket_time_ns
            order by lat_bucket
        ) as n_upto,
        sum(n) over (partition by is_now, counted, tool_name, bucket_time_ns) - 1 as last_rank
    from counted_times
    where tool_name is null
        or counted = 'call'
),

around as (
    select
        is_now,
        counted,
        tool_name,
        bucket_time_ns,
        sum(n) as n,
        sum(total_ns) as total_ns,
        any_value(last_rank) as last_rank,
        min(case when n_upto > floor(q * last_rank) then middle_ns end) as from_ns,
        min(case when n_upto > ceil(q * last_rank) then middle_ns end) as to_ns,
        list(lat_bucket order by lat_bucket)
            filter (where tool_name is null and bucket_time_ns is null) as lat_buckets,
        list(n::bigint order by lat_bucket)
            filter (where tool_name is null and bucket_time_ns is null) as lat_counts
    from ranked
    group by is_now, counted, tool_name, bucket_time_ns
)

select
    is_now,
    counted,
    tool_name,
    bucket_time_ns,
    n::bigint as n,
    total_ns::double as total_ns,
    from_ns + (q * last_rank - floor(q * last_rank)) * (to_ns - from_ns) as value_ns,
    lat_buckets,
    lat_counts
from around;

-- Tasks by how they count, whole and in each bucket.
create macro rolled_tasks(before_hour, start_hour, end_hour, bucket_ns) as table
with together as (
    select
        task_key,
        min(start_time_ns) as start_time_ns,
        bool_and(is_finished) as is_finished,
        bool_or(n_steps is null) as is_unknown,
        sum(n_steps) as n_steps,
        max(longest_identical_run) as longest_identical_run
    from (
        select
            task_key,
            start_time_ns,
            is_finished,
            n_steps,
            longest_identical_run
        from task_part
        union all
        select
            task_key,
            start_time_ns,
            is_finished,
            n_steps,
            longest_identical_run
        from open_task
    ) as parts
    group by task_key
),

reasoned as (
    select
        (start_time_ns // 3600000000000)::integer as hour,
        case
            when start_time_ns is null then 'no_start_time'
            when not is_finished then 'unfinished'
            when is_unknown then 'steps_unknown'
            else 'counted'
        end as reason,
        n_steps,
        coalesce(longest_identical_run > 1, false) as is_repeating
    from together
),

tasks as (
    select
        hour,
        reason,
        n_steps,
        is_repeating,
        n
    from rollup_task
    union all
    select
        hour,
        reason,
        case when reason = 'counted' then n_steps end as n_steps,
        reason = 'counted' and is_repeating as is_repeating,
        1 as n
    from reasoned
)

select
    case when hour < start_hour then 0 else 1 end as is_now,
    coalesce(hour, start_hour) * 3600000000000
        - (coalesce(hour, start_hour) * 3600000000000) % bucket_ns as bucket_time_ns,
    reason,
    n_steps,
    is_repeating,
    sum(n)::bigint as n
from tasks
where hour is null
    or (hour >= before_hour and hour < end_hour)
group by all;
