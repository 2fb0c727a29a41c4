"""A month of a large shop's agents, straight into the derived tables of a store: so many tool calls.

Rows as derive writes them, from SQL over hashes: what is measured is how long figures take, not the
reading of spans. A trace holds five calls; forty tools, a day and a week with their rhythm.
"""

from typing import Final

from replay_store.database import Database
from replay_store.derive import seal
from replay_store.statements import statement

DAYS: Final = 30
START_DAY: Final = 20_560
CALLS_A_TRACE: Final = 5
_TRACES_A_TIME: Final = 100_000

_CHOSEN: Final = """
create or replace temp table chosen as
with numbered as (
    select
        range as number,
        hash(range) as h,
        $start_ns + ((range::double / $n_traces) * $length_ns)::bigint as start_ns
    from range($first, $until)
)

select
    (md5(number::varchar))::uuid as trace_id,
    number,
    h,
    start_ns,
    case when h % 50 = 0 then 7200000000000 else 20000000000 end as spread_ns
from numbered
"""
_TRACES: Final = """
insert into trace_open by name
select
    trace_id,
    hex_trace(trace_id) as task_id,
    'run' as name,
    'shop' as agent_name,
    start_ns as start_time_ns,
    start_ns + spread_ns as end_time_ns,
    spread_ns as duration_ns,
    (start_ns // 3600000000000)::integer as hour,
    'ok' as status,
    false as is_run_failed,
    h % 40 <> 0 as is_finished,
    [] as dialects,
    ['model-a'] as models,
    11 as n_spans,
    1 as n_root_spans,
    0 as n_orphan_spans,
    0 as n_error_spans,
    0 as n_logs,
    0 as n_noise,
    6 as n_llm_calls,
    0 as n_llm_errors,
    5 as n_tool_calls,
    0 as n_tool_errors,
    0 as n_retries,
    (2 + h % 9)::integer as n_steps,
    0 as n_guard_evaluations,
    0 as n_guard_hits,
    (h % 4 = 0)::integer * 2 as longest_identical_run,
    start_ns + spread_ns as last_received_time_ns,
    start_ns as first_received_time_ns
from chosen
"""
_CALLS: Final = """
insert into tool_call_open by name
with called as (
    select
        chosen.trace_id,
        chosen.trace_id as head_trace_id,
        places.call_index,
        hash(chosen.number * 7 + places.call_index) as c,
        chosen.start_ns + chosen.spread_ns * places.call_index // 5 as start_time_ns
    from chosen
    cross join (select range::integer as call_index from range(5)) as places
),

timed as (
    select
        *,
        (
            20000000 * exp(((c % 10007) / 10007.0 + (c % 9973) / 9973.0 + (c % 9949) / 9949.0 - 1.5) * 2.5)
        )::bigint as duration_ns
    from called
)

select
    trace_id,
    head_trace_id,
    call_index,
    call_index as turn_index,
    c as span_id,
    'tool_' || (c % 40) as tool_name,
    false as is_pseudo,
    c % 400 <> 1 as is_executed,
    'shop' as agent_name,
    '1.0' as contract_version,
    c % 1000 as arguments_hash,
    start_time_ns,
    start_time_ns + duration_ns as end_time_ns,
    duration_ns,
    (start_time_ns // 3600000000000)::integer as hour,
    latency_bucket(duration_ns) as lat_bucket,
    case when c % 30 = 0 then 'error' when c % 301 = 0 then 'blocked' else 'ok' end as status,
    case when c % 30 = 0 then ['TIMEOUT', 'NOT_FOUND', 'SERVER'][1 + (c % 3)::integer] end as error_type,
    case when c % 30 = 0 then 2 else 1 end as n_attempts,
    case when call_index > 0 and c % 25 = 0 then call_index - 1 end as retry_of,
    case when call_index > 0 and c % 25 = 0 then call_index - 1 else call_index end as retry_root,
    case when call_index > 0 and c % 25 = 0 then 'identical' end as retry_kind
from timed
"""
_ATTEMPTS: Final = """
insert into attempt_open by name
select
    trace_id,
    call_index,
    places.attempt_index,
    span_id + places.attempt_index::ubigint as span_id,
    tool_name,
    start_time_ns,
    end_time_ns,
    duration_ns,
    hour,
    lat_bucket,
    case when status = 'error' or places.attempt_index < n_attempts - 1 then 'error' else status end
        as status,
    error_type
from tool_call_open
semi join chosen using (trace_id)
cross join (select range::integer as attempt_index from range(2)) as places
where places.attempt_index < n_attempts
"""
_DECISIONS: Final = """
insert into decision_open by name
select
    trace_id,
    call_index as turn_index,
    0 as call_index,
    md5(hex_trace(trace_id) || call_index)::uuid as decision_id,
    start_time_ns as time_ns,
    hour,
    tool_name,
    false as is_pseudo,
    arguments_hash,
    '1.0' as contract_version,
    'model-a' as model,
    'shop' as agent_name
from tool_call_open
semi join chosen using (trace_id)
"""
_EVALUATIONS: Final = """
insert into guard_evaluation_open by name
select
    trace_id,
    call_index as evaluation_index,
    span_id,
    start_time_ns as time_ns,
    hour,
    'rule_' || (arguments_hash % 8) as rule,
    case when arguments_hash % 97 = 0 then 'block' else 'allow' end as decision,
    arguments_hash % 97 = 0 as is_hit,
    false as is_synthetic,
    tool_name,
    'attribute' as evidence
from tool_call_open
semi join chosen using (trace_id)
where arguments_hash % 5 = 0
"""
_MODEL_CALLS: Final = """
insert into model_call_open by name
select
    trace_id,
    span_id + 1 as span_id,
    'model-a' as model,
    start_time_ns - 900000000 as start_time_ns,
    start_time_ns - 900000000 + duration_ns * 4 as end_time_ns,
    duration_ns * 4 as duration_ns,
    ((start_time_ns - 900000000) // 3600000000000)::integer as hour,
    latency_bucket(duration_ns * 4) as lat_bucket
from tool_call_open
semi join chosen using (trace_id)
"""
_LABELS: Final = """
insert into label by name
select
    number::varchar as label_id,
    h as record_hash,
    trace_id,
    (h % 5)::integer as turn_index,
    0 as call_index,
    case when h % 11 = 0 then 'WRONG_TOOL' else 'RIGHT' end as label,
    'ann' as annotator,
    'HUMAN' as annotator_kind,
    'audit' as source,
    0.001 as inclusion_probability,
    start_ns as time_ns,
    uuid() as file_id,
    number as record_index,
    start_ns as received_time_ns
from chosen
where number % $every = 0
"""


def fill(database: Database, n_calls: int) -> None:
    """Write the month and seal it, so that the rollups hold it as they would in service."""
    n_traces = n_calls // CALLS_A_TRACE
    for first in range(0, n_traces, _TRACES_A_TIME):
        with database.transaction() as cursor:
            cursor.execute(
                _CHOSEN,
                {
                    "start_ns": START_DAY * 86_400 * 10**9,
                    "length_ns": DAYS * 86_400 * 10**9 - 10**13,
                    "n_traces": n_traces,
                    "first": first,
                    "until": min(first + _TRACES_A_TIME, n_traces),
                },
            )
            for sql in (_TRACES, _CALLS, _ATTEMPTS, _DECISIONS, _EVALUATIONS, _MODEL_CALLS):
                cursor.execute(sql)
            cursor.execute(_LABELS, {"every": max(n_traces // 2_000, 1)})
            cursor.execute(statement("derive/call_retry"))
            cursor.execute(statement("sql/bump_version"))
        seal(database, quiet_before_ns=0)
