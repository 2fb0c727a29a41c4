"""Any figure over time: one point a bucket, None where there is no data."""

from collections.abc import Callable
from typing import NamedTuple

from metrics.buckets import bucket_width_ns, fill
from metrics.definitions import DEFINITIONS, definition
from metrics.guard_hits import guard_rows, hits_of
from metrics.latency_p95 import latency_rows, p95_ms
from metrics.retry_rate import retry_rows
from metrics.selection_accuracy import LabelSource, selection_rows
from metrics.statements import Row
from metrics.steps_per_task import mean_steps, step_rows
from metrics.values import Point, Scope
from replay_store.database import Database


class _Series(NamedTuple):
    rows: Callable[[Database, Scope, LabelSource, int], list[Row]]
    value: Callable[[Row], float | None]
    n_column: str


def trend(
    database: Database,
    key: str,
    scope: Scope,
    bucket_ns: int | None = None,
    source: LabelSource = LabelSource.AUDIT,
) -> tuple[Point, ...]:
    """The metric in each time bucket of the scope, in order.

    Args:
        database: The store.
        key: Key of a definition.
        scope: Its period and filters.
        bucket_ns: Width of a bucket; by default hours up to three days, else days (UTC).
        source: Of labels; only the accuracies read it.

    Raises:
        UnknownMetricError: No metric has that key.
    """
    series = _SERIES[definition(key).key]
    width = bucket_ns or bucket_width_ns(scope)
    rows = series.rows(database, scope, source, width)
    return fill(scope, width, rows, series.value, series.n_column)


def trends(
    database: Database,
    scope: Scope,
    bucket_ns: int | None = None,
    source: LabelSource = LabelSource.AUDIT,
) -> dict[str, tuple[Point, ...]]:
    """`trend` of every metric, by key in the order of the definitions."""
    width = bucket_ns or bucket_width_ns(scope)
    rows = {ask: ask(database, scope, source, width) for ask in _QUESTIONS}
    return {
        item.key: fill(scope, width, rows[series.rows], series.value, series.n_column)
        for item in DEFINITIONS
        for series in (_SERIES[item.key],)
    }


def _share(prefix: str = "") -> Callable[[Row], float | None]:
    def value(row: Row) -> float | None:
        total = row[f"{prefix}denominator"]
        return float(row[f"{prefix}numerator"]) / float(total) if total else None

    return value


def _latency(key: str) -> _Series:
    return _Series(
        lambda database, scope, _source, width: latency_rows(database, key, scope, width),
        p95_ms,
        "n",
    )


def _retries(database: Database, scope: Scope, _source: LabelSource, width: int) -> list[Row]:
    return retry_rows(database, scope, width)


def _steps(database: Database, scope: Scope, _source: LabelSource, width: int) -> list[Row]:
    return step_rows(database, scope, width)


def _guard(database: Database, scope: Scope, _source: LabelSource, width: int) -> list[Row]:
    return guard_rows(database, scope, width)


_SERIES = {
    "selection_accuracy": _Series(selection_rows, _share(), "n"),
    "call_accuracy": _Series(selection_rows, _share("call_"), "call_n"),
    "latency_p95_attempt": _latency("latency_p95_attempt"),
    "latency_p95_call": _latency("latency_p95_call"),
    "latency_p95_model": _latency("latency_p95_model"),
    "retry_rate": _Series(_retries, _share(), "n"),
    "retry_success_rate": _Series(_retries, _share("success_"), "success_n"),
    "steps_per_task": _Series(_steps, mean_steps, "n"),
    "guard_hits": _Series(_guard, hits_of, "n"),
    "guard_hit_rate": _Series(_guard, _share(), "n"),
}

_QUESTIONS = dict.fromkeys(series.rows for series in _SERIES.values())
