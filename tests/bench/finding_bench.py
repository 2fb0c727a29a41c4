"""How long it takes to find a trace by each kind of name that people paste, in a store of many spans.

Run it by hand: `python -m tests.bench.finding_bench [--spans N] [--db STORE] [--keep]`. It prints the
time and the processor time of each kind. It is no test: a shared machine has no honest limit.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Final

from replay_store.database import Database
from replay_store.finding import find, why_absent

SPANS_A_TRACE: Final = 12
CALLS_A_TRACE: Final = 5
_DAYS: Final = 30
_START_NS: Final = 20_560 * 86_400 * 10**9
_TRACES_A_TIME: Final = 50_000
_TIMES: Final = 7

_CHOSEN: Final = """
create or replace temp table chosen as
select
    range as number,
    md5(range::varchar)::uuid as trace_id,
    $start_ns + ((range::double / $n_traces) * $length_ns)::bigint as start_ns
from range($first, $until)
"""
_SPANS: Final = """
insert into span by name
select
    trace_id,
    hash(number, place) as span_id,
    case when place > 0 then hash(number, 0) end as parent_span_id,
    hash(number, place, 1) as record_hash,
    case when place = 0 then 'invoke_agent' when place % 2 = 0 then 'execute_tool' else 'chat' end as name,
    1 as otel_kind,
    start_ns + place * 250000000 as start_time_ns,
    start_ns + (place + 1) * 250000000 as end_time_ns,
    250000000 as duration_ns,
    (start_ns // 3600000000000)::integer as hour,
    0 as status_code,
    'shop' as service_name,
    0 as n_dropped,
    uuid() as file_id,
    number * 12 + place as record_index,
    start_ns + 4000000000 as received_time_ns
from chosen
cross join (select range as place from range(12)) as places
"""
_TRACES: Final = """
insert into trace_sealed by name
select
    trace_id,
    hex_trace(trace_id) as task_id,
    'run' as name,
    'shop' as agent_name,
    'conv-' || left(md5('session' || number // 3), 12) as session_id,
    start_ns as start_time_ns,
    start_ns + 3000000000 as end_time_ns,
    3000000000 as duration_ns,
    (start_ns // 3600000000000)::integer as hour,
    'ok' as status,
    false as is_run_failed,
    true as is_finished,
    [] as dialects,
    ['model-a'] as models,
    12 as n_spans,
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
    6 as n_steps,
    0 as n_guard_evaluations,
    0 as n_guard_hits,
    0 as longest_identical_run,
    start_ns + 4000000000 as last_received_time_ns,
    start_ns + 4000000000 as first_received_time_ns
from chosen
order by hour, trace_id
"""
_CALLS: Final = """
insert into tool_call_sealed by name
select
    trace_id,
    trace_id as head_trace_id,
    place as call_index,
    place as turn_index,
    hash(number, place * 2 + 2) as span_id,
    hash(number, place * 2 + 1) as llm_span_id,
    'call_' || left(md5(number || '/' || place), 24) as tool_call_id,
    'tool_' || place as tool_name,
    false as is_pseudo,
    true as is_executed,
    start_ns + place * 500000000 as start_time_ns,
    start_ns + place * 500000000 + 250000000 as end_time_ns,
    250000000 as duration_ns,
    (start_ns // 3600000000000)::integer as hour,
    'ok' as status,
    1 as n_attempts,
    place as retry_root,
    md5('key' || number || '/' || place)::uuid::varchar as idempotency_key
from chosen
cross join (select range::integer as place from range(5)) as places
order by hour, trace_id
"""
_LOG_LINE: Final = (
    "2026-11-30T23:59:01.123Z level=ERROR host=ip-10-2-33-4 pod=shop-7f9c9d6b4-x2x9z user=u17 "
    "req=0b9f8d7e-1111-4222-8333-444455556666 order=A-55121 attempt=3 elapsed=8012ms dep=crm-v2 "
    'url=/api/v2/orders/55121 conv=conv-aa98 shard=eu-3 msg="upstream timeout after 8000ms"'
)
"""Many words, several of which look like ids: each must be looked for."""
_WANTED: Final = """
select
    hex_trace(trace_id) as trace_id,
    session_id,
    (select min(hex_span(span_id)) from span where span.trace_id = wanted.trace_id) as span_id,
    (select min(tool_call_id) from tool_call where tool_call.trace_id = wanted.trace_id) as call_id,
    (select min(idempotency_key) from tool_call where tool_call.trace_id = wanted.trace_id) as key
from trace_sealed as wanted
where wanted.trace_id = (md5($number::varchar))::uuid
"""


def main() -> None:
    """Fill a store unless it is there, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spans", type=int, default=2_000_000)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the store where --db says")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.db or Path(folder) / "finding.duckdb"
        is_new = not path.exists()
        try:
            with Database.open(path) as database:
                if is_new:
                    _fill(database, arguments.spans // SPANS_A_TRACE)
                _measure(database)
        finally:
            if is_new and not arguments.keep:
                path.unlink(missing_ok=True)


def _fill(database: Database, n_traces: int) -> None:
    for first in range(0, n_traces, _TRACES_A_TIME):
        with database.transaction() as cursor:
            until = min(first + _TRACES_A_TIME, n_traces)
            cursor.execute(
                _CHOSEN,
                {
                    "start_ns": _START_NS,
                    "length_ns": _DAYS * 86_400 * 10**9,
                    "n_traces": n_traces,
                    "first": first,
                    "until": until,
                },
            )
            for sql in (_SPANS, _TRACES, _CALLS):
                cursor.execute(sql)
    database.checkpoint()


def _measure(database: Database) -> None:
    row = database.row("select count(*) as n from span")
    _say(f"{row['n'] if row else 0:,} spans")
    for kind, text in _texts(database).items():
        _repeat(kind, lambda text=text: find(database, text).n)  # type: ignore[misc]
    _repeat("why it is not there", lambda: len(why_absent(database, "f" * 32).rejects))


def _texts(database: Database) -> Mapping[str, str]:
    row = database.row("select count(*) as n from trace_sealed")
    wanted = database.row(_WANTED, {"number": (row["n"] if row else 0) * 2 // 3})
    assert wanted is not None
    trace_id, call_id = wanted["trace_id"], wanted["call_id"]
    return {
        "trace id": trace_id,
        "traceparent": f"00-{trace_id}-{wanted['span_id']}-01",
        "span id": wanted["span_id"],
        "half of a trace id": trace_id[16:],
        "session": wanted["session_id"],
        "call id": call_id,
        "idempotency key": wanted["key"],
        "prefix": trace_id[:8],
        "line of a log": f"{_LOG_LINE} call={call_id}",
        "not there: an id": "f" * 31 + "e",
        "not there: a line": f"{_LOG_LINE} call=call_5b1b68a9abf4d2cd155c81a9",
    }


def _repeat(kind: str, ask: Callable[[], int]) -> None:
    n = ask()
    wall, processor = [], []
    for _ in range(_TIMES):
        started, used = time.perf_counter(), time.process_time()
        ask()
        wall.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
    _say(
        f"{kind:22} {n:3} found, {median(wall) * 1000:7.1f} ms median, "
        f"processor {median(processor) * 1000:7.1f} ms median, {min(processor) * 1000:.1f} least"
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
