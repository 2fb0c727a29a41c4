"""Eight weeks of a shop's agent at twenty times the sample's traffic, straight into the store's tables.

Rows as derive writes them, from a seeded script: what is measured is the watching, not the reading
of spans. Six things go wrong; everything else stays as it is, with the rhythm of day and week.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
import pyarrow as pa

from ingest.times import latency_bucket
from replay_store.database import Database

HOUR_NS: Final = 3_600 * 10**9
WEEKS: Final = 8
START_HOUR: Final = 493_920  # a Monday, 00:00 UTC
TOOLS: Final = {
    "query_order_status": 0.42,
    "search_orders": 0.23,
    "get_user_points": 0.10,
    "check_coupon": 0.06,
    "create_ticket": 0.05,
    "query_ticket": 0.04,
    "refund_order": 0.04,
    "inventory_check": 0.03,
    "sales_summary": 0.03,
}
CALLS_AN_HOUR: Final = 275
"""Twenty times the 330 a day of the sample world."""


@dataclass(frozen=True, slots=True)
class Story:
    """One thing that goes wrong."""

    name: str
    metric: str
    tool: str | None
    start: int
    """Hour of the world, inclusive."""
    end: int
    """Exclusive."""
    window: int
    """Cases that a window of the figure holds."""

    def holds(self, hour: int) -> bool:
        """Whether it does, in an hour."""
        return self.start <= hour < self.end


def _at(week: int, day: int, hour: int) -> int:
    return 168 * week + 24 * day + hour


STORIES: Final = (
    Story("sentence lost", "selection_accuracy", "query_order_status", _at(4, 1, 10), 9999, 200),
    Story(
        "order system slow",
        "latency_p95_call",
        "query_order_status",
        _at(5, 2, 9),
        _at(5, 4, 18),
        72,
    ),
    Story("points system fails", "retry_rate", "get_user_points", _at(5, 6, 8), _at(6, 1, 8), 50),
    Story("rule off", "guard_hits", "refund_order", _at(6, 3, 12), 9999, 40),
    Story("tools that send for each other", "steps_per_task", None, _at(6, 5, 9), 9999, 50),
    Story("new status", "unknown_share", None, _at(7, 1, 8), 9999, 200),
)
"""In the order of their start."""


def write_world(database: Database, seed: int, traffic: float = 1.0) -> None:
    """Fill an empty store.

    Args:
        database: The store.
        seed: Same seed, same rows.
        traffic: Times the calls of the world; less for a quick look.
    """
    draws = np.random.default_rng(seed)
    for week in range(WEEKS):
        tables = _Rows()
        for hour in range(168 * week, 168 * (week + 1)):
            on = {story.name for story in STORIES if story.holds(hour)}
            _hour(draws, tables, hour, traffic, on)
        tables.write(database)


def write_days(
    database: Database, seed: int, traffic: float, story: str | None, share: float = 1.0
) -> None:
    """Two days into an empty store; the story, if any, holds on the second.

    Args:
        database: The store.
        seed: Same seed, same rows.
        traffic: Times the calls of the world.
        story: Name of the one that holds, or `model slow`; None for none.
        share: The part of the second day's tasks that it touches.
    """
    draws, tables = np.random.default_rng(seed), _Rows(np.random.default_rng(seed + 2_000_000))
    touched = np.random.default_rng(seed + 1_000_000)
    for hour in range(48):
        on = {story} if story and hour >= 24 else set[str]()
        _hour(draws, tables, hour, traffic, on, lambda: bool(touched.random() < share))
    tables.write(database)


class _Rows:
    def __init__(self, models: np.random.Generator | None = None) -> None:
        self.models = models
        """Draws how long models take; None where no model is called."""
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def add(self, table: str, **row: Any) -> None:
        self._rows.setdefault(table, []).append(row)

    def write(self, database: Database) -> None:
        with database.transaction() as cursor:
            for table, rows in self._rows.items():
                names = list(rows[0])
                cursor.register("waiting", pa.table({n: [row[n] for row in rows] for n in names}))
                listed = ", ".join(names)
                cursor.execute(f"insert into {table} ({listed}) select {listed} from waiting")
                cursor.unregister("waiting")


def _always() -> bool:
    return True


def _hour(
    draws: np.random.Generator,
    rows: _Rows,
    hour: int,
    traffic: float,
    on: set[str],
    is_touched: Callable[[], bool] = _always,
) -> None:
    day = 1 + 0.7 * np.sin(2 * np.pi * (hour % 24 - 9) / 24)
    week = 0.6 if hour // 24 % 7 >= 5 else 1.0
    left = draws.poisson(CALLS_AN_HOUR * traffic * day * week)
    number = 0
    while left > 0:
        held = on if is_touched() else set[str]()
        mean = 2.6 if "tools that send for each other" in held else 1.8
        n_calls = int(min(left, 1 + draws.poisson(mean - 1)))
        left -= n_calls
        _task(draws, rows, (hour, number), n_calls, held)
        number += 1


def _task(
    draws: np.random.Generator,
    rows: _Rows,
    place: tuple[int, int],
    n_calls: int,
    on: set[str],
) -> None:
    hour, number = place
    trace_id = str(UUID(int=(hour << 64) | (number + 1)))
    start = (START_HOUR + hour) * HOUR_NS + int(draws.integers(0, HOUR_NS))
    _trace(rows, trace_id, start, n_calls)
    tools = draws.choice(list(TOOLS), n_calls, p=np.array(list(TOOLS.values())))
    bad_day = draws.random() < 0.03
    for index, tool in enumerate(tools):
        _call(draws, rows, (trace_id, index, start), str(tool), bad_day, on)
    if rows.models is not None:
        _model_call(rows.models, rows, trace_id, start, is_slow="model slow" in on)
    cells = int(draws.integers(2, 7))
    rate = 0.05 if "new status" in on else 0.002
    _observation(rows, trace_id, start, cells, int(draws.binomial(cells, rate)))


def _call(
    draws: np.random.Generator,
    rows: _Rows,
    place: tuple[str, int, int],
    tool: str,
    bad_day: bool,
    on: set[str],
) -> None:
    trace_id, index, start = place
    is_slow = tool == "query_order_status" and "order system slow" in on
    fails = tool == "get_user_points" and "points system fails" in on
    retry_rate = 0.25 if fails else (0.3 if bad_day else 0.04)
    is_retried = bool(draws.random() < retry_rate)
    seconds = float(np.exp(draws.normal(np.log(0.4), 0.5))) * (4 if is_slow else 1)
    duration = int(seconds * 1e9)
    rows.add(
        "tool_call_open",
        trace_id=trace_id,
        call_index=index,
        turn_index=index,
        tool_name=tool,
        is_pseudo=False,
        is_executed=True,
        start_time_ns=start,
        end_time_ns=start + duration,
        duration_ns=duration,
        hour=start // HOUR_NS,
        lat_bucket=latency_bucket(duration),
        status="ok" if draws.random() < 0.97 else "error",
        n_attempts=2 if is_retried else 1,
        retry_root=index,
        contract_version=_version(tool, on),
    )
    _decision(draws, rows, place, tool, on)
    if tool == "refund_order" and "rule off" not in on:
        _guard(rows, place, tool, is_hit=bool(draws.random() < 0.3))


def _model_call(
    draws: np.random.Generator, rows: _Rows, trace_id: str, start: int, *, is_slow: bool
) -> None:
    duration = int(float(np.exp(draws.normal(np.log(0.9), 0.4))) * 1e9 * (2 if is_slow else 1))
    rows.add(
        "model_call_open",
        trace_id=trace_id,
        span_id=1,
        model="lantern-large-2",
        start_time_ns=start,
        end_time_ns=start + duration,
        duration_ns=duration,
        hour=start // HOUR_NS,
        lat_bucket=latency_bucket(duration),
    )


def _version(tool: str, on: set[str]) -> str:
    return "1.3.0" if tool == "query_order_status" and "sentence lost" in on else "1.2.0"


def _decision(
    draws: np.random.Generator,
    rows: _Rows,
    place: tuple[str, int, int],
    tool: str,
    on: set[str],
) -> None:
    trace_id, index, start = place
    if index or draws.random() > 0.06:
        return
    rows.add(
        "decision_open",
        trace_id=trace_id,
        turn_index=index,
        call_index=0,
        decision_id=trace_id,
        time_ns=start,
        tool_name=tool,
        is_pseudo=False,
        contract_version=_version(tool, on),
        model="lantern-large-2",
    )
    broken = tool == "query_order_status" and "sentence lost" in on
    rows.add(
        "label",
        label_id=trace_id,
        record_hash=index,
        trace_id=trace_id,
        turn_index=index,
        call_index=0,
        label="RIGHT" if draws.random() < (0.68 if broken else 0.93) else "WRONG_TOOL",
        annotator="ann",
        annotator_kind="HUMAN",
        source="audit",
        inclusion_probability=0.06,
        time_ns=start,
        file_id=str(UUID(int=0)),
        record_index=index,
        received_time_ns=start,
    )


def _guard(rows: _Rows, place: tuple[str, int, int], tool: str, *, is_hit: bool) -> None:
    trace_id, index, start = place
    rows.add(
        "guard_evaluation_open",
        trace_id=trace_id,
        evaluation_index=index,
        time_ns=start,
        hour=start // HOUR_NS,
        rule="money_confirmation",
        decision="block" if is_hit else "allow",
        is_hit=is_hit,
        is_synthetic=False,
        tool_name=tool,
        evidence="attribute",
    )


def _trace(rows: _Rows, trace_id: str, start: int, n_steps: int) -> None:
    counts = (
        "n_spans n_root_spans n_orphan_spans n_error_spans n_logs n_noise n_llm_calls "
        "n_llm_errors n_tool_calls n_tool_errors n_retries n_guard_evaluations n_guard_hits "
        "longest_identical_run"
    )
    rows.add(
        "trace_open",
        trace_id=trace_id,
        task_id=trace_id,
        start_time_ns=start,
        hour=start // HOUR_NS,
        status="ok",
        is_finished=True,
        dialects=["toolsight"],
        models=["lantern-large-2"],
        n_steps=n_steps,
        last_received_time_ns=start,
        **dict.fromkeys(counts.split(), 0),
    )


def _observation(rows: _Rows, trace_id: str, start: int, n_cells: int, n_unknown: int) -> None:
    identity = {"trace_id": trace_id, "span_id": 1, "record_hash": 1}
    rows.add(
        "span",
        **identity,
        name="observe",
        otel_kind=1,
        start_time_ns=start,
        end_time_ns=start + 1,
        hour=start // HOUR_NS,
        status_code=0,
        n_dropped=0,
        file_id=str(UUID(int=0)),
        record_index=0,
        received_time_ns=start,
    )
    counts = "n_outputs n_fragments n_unparsed n_failed n_empty n_degraded n_multi_source_cells"
    rows.add(
        "observation",
        **identity,
        time_ns=start,
        hour=start // HOUR_NS,
        tool_names=["query_order_status"],
        snapshot_hash="hash",
        n_cells=n_cells,
        n_unknown=n_unknown,
        n_conflicts=0,
        parse_ms=2.0,
        signals=[],
        **dict.fromkeys(counts.split(), 0),
    )
