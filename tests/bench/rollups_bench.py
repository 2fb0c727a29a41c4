"""How long the Overview's figures take over a month of many tool calls: from rollups, and from rows.

Run it by hand: `python tests/bench/rollups_bench.py [--calls N] [--db STORE] [--keep] [--no-rows]`. It
prints the time of a report each way, of the questions apart, how far the two answers are from each
other, and what keeping the rollups costs. It is no test: a shared machine has no honest limit.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final
from unittest.mock import patch

from metrics import Report, data_range, default_scope, report
from metrics import rollups as over_rollups
from replay_store.database import Database
from tests.bench.fleet_month import CALLS_A_TRACE, SPANS_A_TRACE, fill

_TIMES: Final = 5


def main() -> None:
    """Fill a store unless it is there, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the store where --db says")
    parser.add_argument("--no-rows", action="store_true", help="leave the slow half out")
    arguments = parser.parse_args()
    n_spans = round(arguments.calls / CALLS_A_TRACE * SPANS_A_TRACE)
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.db or Path(folder) / "month.duckdb"
        is_new = not path.exists()
        try:
            with Database.open(path) as database:
                if is_new:
                    _, seconds = _timed(partial(fill, database, n_spans))
                    _say(f"wrote and sealed {arguments.calls:,} calls in {seconds:.0f} s")
                _measure(database, is_rows_too=not arguments.no_rows)
        finally:
            if is_new and not arguments.keep:
                path.unlink(missing_ok=True)


def _measure(database: Database, *, is_rows_too: bool) -> None:
    for table in ("tool_call", "trace", "rollup_time", "rollup_tool_time", "rollup_share"):
        row = database.row(f"select count(*) as n from {table}")
        _say(f"{table:16} {row['n'] if row else 0:>12,} rows")
    for key in ("30d", "7d", "24h"):
        scope = default_scope(key, data_range(database))
        rolled = _repeat(f"{key} from rollups", partial(report, database, scope))
        if is_rows_too:
            with patch.object(over_rollups, "LARGE", sys.maxsize):
                rows, seconds = _timed(partial(report, database, scope))
            _say(f"{key} from rows     {seconds * 1000:8.0f} ms, once")
            _compare(rolled, rows)
    _repeat("which period holds data", lambda: data_range(database))


def _compare(rolled: Report, rows: Report) -> None:
    """The values side by side, and by how much they differ."""
    _say(f"  {'figure':20} {'rollups':>14} {'rows':>14} {'n':>12} {'off by':>8}")
    for key, exact in rows.metrics().items():
        found = rolled.metrics()[key]
        if exact.value is None or found.value is None:
            assert exact.value is found.value, key
            continue
        off = abs(found.value - exact.value) / abs(exact.value) if exact.value else 0.0
        _say(f"  {key:20} {found.value:14.5f} {exact.value:14.5f} {found.n:12,} {off:8.3%}")
        assert off <= 0.01, key
        assert found.n == exact.n, key
        assert off == 0 or found.is_approximate or off < 1e-12, key


def _repeat(name: str, ask: Callable[[], Any]) -> Any:
    runs = [_timed(ask) for _ in range(_TIMES)]
    seconds = [taken for _, taken in runs]
    processor = [_processor(ask) for _ in range(2)]
    _say(
        f"{name:22} {median(seconds) * 1000:7.0f} ms median, {min(seconds) * 1000:.0f} least, "
        f"{max(seconds) * 1000:.0f} most of {_TIMES}; processor {min(processor) * 1000:.0f} ms"
    )
    return runs[-1][0]


def _processor(ask: Callable[[], Any]) -> float:
    started = time.process_time()
    ask()
    return time.process_time() - started


def _timed(ask: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    return ask(), time.perf_counter() - started


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
