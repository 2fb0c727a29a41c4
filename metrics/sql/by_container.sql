-- What: what came in each kind of file: traces, calls, errors, retries, turns and model times, and how
--   many of the calls that its test cases expect were made (tool, and tool with equal arguments).
-- Unit: calls, turns, nanoseconds. Denominator: traces whose turns are visible, for turns; expected calls for what was found.
-- Excluded: spans of the receiver, which come in no file. A trace belongs to the container that most of
--   its spans came in; hand-offs are calls here, and told apart. Tool names are compared with dots and
--   dashes as underscores. Cases without a run are in no trace, so their expected calls count nowhere.
with placed as (
    select
        s.trace_id,
        f.container,
        count(*) as n_spans
    from span as s
    inner join ingest_file as f on f.file_id = s.file_id
    where f.container is not null
    group by s.trace_id, f.container
),

source_trace as (
    select
        trace_id,
        argMax(container, (n_spans, container)) as container
    from placed
    group by trace_id
),

call as (
    select
        trace_id,
        call_index,
        tool_name,
        replace(replace(tool_name, '.', '_'), '-', '_') as folded_name,
        coalesce(arguments_hash, 0) as arguments_hash,
        is_pseudo,
        status,
        retry_of
    from tool_call
),

next_retry as (
    select
        c.trace_id,
        sum(1) as n,
        sum(case when c.status = 'ok' then 1 else 0 end) as n_ok
    from call as c
    inner join call as p
        on p.trace_id = c.trace_id and p.call_index = c.call_index - 1
    where p.status = 'error' and p.tool_name = c.tool_name
    group by c.trace_id
),

call_count as (
    select
        trace_id,
        count(*) as n_calls,
        sum(case when is_pseudo then 1 else 0 end) as n_pseudo_calls,
        sum(case when status = 'error' then 1 else 0 end) as n_errors,
        sum(case when status = 'blocked' then 1 else 0 end) as n_blocked,
        sum(case when retry_of is null then 0 else 1 end) as n_retries
    from call
    group by trace_id
),

own as (
    select distinct trace_id
    from expectation
    where trace_id is not null
),

expected as (
    select
        trace_id,
        tool_name,
        arguments_hash
    from expectation
    where trace_id is not null and tool_name is not null
    union all
    select
        r.trace_id,
        e.tool_name,
        e.arguments_hash
    from expectation as e
    inner join (select distinct trace_id, case_id from case_run) as r on r.case_id = e.case_id
    where
        e.trace_id is null
        and e.tool_name is not null
        and r.trace_id not in (select trace_id from own)
),

expected_tool as (
    select
        trace_id,
        replace(replace(tool_name, '.', '_'), '-', '_') as folded_name,
        count(*) as n
    from expected
    group by trace_id, replace(replace(tool_name, '.', '_'), '-', '_')
),

called_tool as (
    select
        trace_id,
        folded_name,
        count(*) as n
    from call
    group by trace_id, folded_name
),

expected_call as (
    select
        trace_id,
        replace(replace(tool_name, '.', '_'), '-', '_') as folded_name,
        arguments_hash,
        count(*) as n
    from expected
    where arguments_hash is not null
    group by trace_id, replace(replace(tool_name, '.', '_'), '-', '_'), arguments_hash
),

called_call as (
    select
        trace_id,
        folded_name,
        arguments_hash,
        count(*) as n
    from call
    group by trace_id, folded_name, arguments_hash
),

found_tool as (
    select
        e.trace_id,
        sum(e.n) as n_expected,
        sum(case when c.n is null then 0 when c.n < e.n then c.n else e.n end) as n_found
    from expected_tool as e
    left join called_tool as c on c.trace_id = e.trace_id and c.folded_name = e.folded_name
    group by e.trace_id
),

found_call as (
    select
        e.trace_id,
        sum(case when c.n is null then 0 when c.n < e.n then c.n else e.n end) as n_found
    from expected_call as e
    left join called_call as c
        on
            c.trace_id = e.trace_id
            and c.folded_name = e.folded_name
            and c.arguments_hash = e.arguments_hash
    group by e.trace_id
),

turn_time as (
    select
        t.container,
        count(s.duration_ns) as n_timed,
        exact_quantile(s.duration_ns, 0.95) as p95_ns
    from span as s
    inner join span_role as r
        on r.trace_id = s.trace_id and r.span_id = s.span_id and r.record_hash = s.record_hash
    inner join source_trace as t on t.trace_id = s.trace_id
    where r.role = 'model'
    group by t.container
),

judged as (
    select
        t.container,
        count(*) as n_judged,
        sum(
            case
                when l.label in ('RIGHT', 'CORRECT_NO_CALL', 'ACCEPTABLE_ALTERNATIVE') then 1
                when l.label = 'RIGHT_TOOL_WRONG_ARGS' then 1
                else 0
            end
        ) as n_right_tool,
        sum(
            case
                when l.label in ('RIGHT', 'CORRECT_NO_CALL', 'ACCEPTABLE_ALTERNATIVE') then 1
                else 0
            end
        ) as n_right_call
    from label as l
    inner join source_trace as t on t.trace_id = l.trace_id
    where l.source = 'replay' and l.annotator_kind = 'RULE'
    group by t.container
),

tool as (
    select
        t.container,
        count(distinct c.tool_name) as n_tools
    from call as c
    inner join source_trace as t on t.trace_id = c.trace_id
    group by t.container
),

counted as (
    select
        t.container,
        count(*) as n_traces,
        sum(coalesce(c.n_calls, 0)) as n_calls,
        sum(coalesce(c.n_pseudo_calls, 0)) as n_pseudo_calls,
        sum(coalesce(c.n_errors, 0)) as n_errors,
        sum(coalesce(c.n_blocked, 0)) as n_blocked,
        sum(coalesce(c.n_retries, 0)) as n_retries,
        sum(coalesce(n.n, 0)) as n_next_retries,
        sum(coalesce(n.n_ok, 0)) as n_next_retries_ok,
        sum(coalesce(r.n_llm_calls, 0)) as n_turns,
        count(r.n_llm_calls) as n_with_turns,
        sum(coalesce(e.n_expected, 0)) as n_expected,
        sum(coalesce(e.n_found, 0)) as n_found,
        sum(coalesce(f.n_found, 0)) as n_found_with_arguments
    from source_trace as t
    inner join trace as r on r.trace_id = t.trace_id
    left join call_count as c on c.trace_id = t.trace_id
    left join next_retry as n on n.trace_id = t.trace_id
    left join found_tool as e on e.trace_id = t.trace_id
    left join found_call as f on f.trace_id = t.trace_id
    group by t.container
),

final as (
    select
        c.container,
        c.n_traces,
        c.n_calls,
        c.n_pseudo_calls,
        coalesce(l.n_tools, 0) as n_tools,
        c.n_errors,
        c.n_blocked,
        c.n_retries,
        c.n_next_retries,
        c.n_next_retries_ok,
        c.n_turns,
        c.n_with_turns,
        c.n_expected,
        c.n_found,
        c.n_found_with_arguments,
        coalesce(j.n_judged, 0) as n_judged,
        coalesce(j.n_right_tool, 0) as n_right_tool,
        coalesce(j.n_right_call, 0) as n_right_call,
        coalesce(m.n_timed, 0) as n_timed_turns,
        m.p95_ns as turn_p95_ns
    from counted as c
    left join tool as l on l.container = c.container
    left join judged as j on j.container = c.container
    left join turn_time as m on m.container = c.container
)

select
    container,
    n_traces,
    n_calls,
    n_pseudo_calls,
    n_tools,
    n_errors,
    n_blocked,
    n_retries,
    n_next_retries,
    n_next_retries_ok,
    n_turns,
    n_with_turns,
    n_expected,
    n_found,
    n_found_with_arguments,
    n_judged,
    n_right_tool,
    n_right_call,
    n_timed_turns,
    turn_p95_ns
from final
order by container
