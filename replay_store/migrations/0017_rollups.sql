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
