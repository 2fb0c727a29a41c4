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
from tests.bench.fleet_month import fill

_TIMES: Final = 7
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
from trace as wanted
order by wanted.start_time_ns
limit 1 offset $place
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
                    fill(database, arguments.spans)
                _measure(database)
        finally:
            if is_new and not arguments.keep:
                path.unlink(missing_ok=True)


def _measure(database: Database) -> None:
    row = database.row("select count(*) as n from span")
    _say(f"{row['n'] if row else 0:,} spans")
    for kind, text in _texts(database).items():
        _repeat(kind, lambda text=text: find(database, text).n)  # type: ignore[misc]
    _repeat("why it is not there", lambda: len(why_absent(database, "f" * 32).rejects))


def _texts(database: Database) -> Mapping[str, str]:
    row = database.row("select count(*) as n from trace")
    wanted = database.row(_WANTED, {"place": (row["n"] if row else 0) * 2 // 3})
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
