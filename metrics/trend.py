"""Any figure over time: one point a bucket, None where there is no data."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from metrics.buckets import bucket_width_ns, fill
from metrics.definitions import DEFINITIONS, definition
from metrics.guard_hits import guard_periods, hits_of
from metrics.latency_p95 import latency_periods, p95_ms
from metrics.observation_health import health_periods
from metrics.periods import Periods
from metrics.retry_rate import retry_periods, tool_retry_periods
from metrics.selection_accuracy import LabelSource, selection_periods
from metrics.statements import Row, Store
from metrics.steps_per_task import mean_steps, step_periods
from metrics.values import Point, Scope

_Ask = Callable[[Store, Scope, LabelSource, int], Periods]


class _Series(NamedTuple):
    ask: _Ask
    value: Callable[[Row], float | None]
    n_column: str
    ask_tools: _Ask | None = None
    """Tells each tool over time, where rollups do not with the rest."""


def trend(
    database: Store,
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
    rows = series.ask(database, scope, source, width).buckets
    return fill(scope, width, rows, series.value, series.n_column)


def tool_trend(database: Store, key: str, scope: Scope, tool_name: str) -> tuple[Point, ...]:
    """`trend` for one tool of a scope over all tools.

    Where the answer for all tools does not tell each over time, the tool is asked about by itself.

    Raises:
        UnknownMetricError: No metric has that key.
    """
    series, width = _SERIES[definition(key).key], bucket_width_ns(scope)
    ask = series.ask_tools or series.ask
    found = ask(database, scope, LabelSource.AUDIT, width).part_buckets
    if not found:
        return trend(database, key, replace(scope, tool_name=tool_name), width)
    rows = [row for row in found if row["tool_name"] == tool_name and row["is_now"]]
    return fill(scope, width, rows, series.value, series.n_column)


def trends(
    database: Store,
    scope: Scope,
    bucket_ns: int | None = None,
    source: LabelSource = LabelSource.AUDIT,
) -> dict[str, tuple[Point, ...]]:
    """`trend` of every metric, by key in the order of the definitions."""
    width = bucket_ns or bucket_width_ns(scope)
    found = {ask: ask(database, scope, source, width).buckets for ask in _QUESTIONS}
    return {
        item.key: fill(scope, width, found[series.ask], series.value, series.n_column)
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
        lambda database, scope, _source, width: latency_periods(database, key, scope, width),
        p95_ms,
        "n",
    )


def _retries(database: Store, scope: Scope, _source: LabelSource, width: int) -> Periods:
    return retry_periods(database, scope, width)


def _tool_retries(database: Store, scope: Scope, _source: LabelSource, width: int) -> Periods:
    return tool_retry_periods(database, scope, width)


def _steps(database: Store, scope: Scope, _source: LabelSource, width: int) -> Periods:
    return step_periods(database, scope, width)


def _guard(database: Store, scope: Scope, _source: LabelSource, width: int) -> Periods:
    return guard_periods(database, scope, width)


def _health(database: Store, scope: Scope, _source: LabelSource, width: int) -> Periods:
    return health_periods(database, scope, bucket_ns=width)


_SERIES = {
    "selection_accuracy": _Series(selection_periods, _share(), "n"),
    "call_accuracy": _Series(selection_periods, _share("call_"), "call_n"),
    "latency_p95_attempt": _latency("latency_p95_attempt"),
    "latency_p95_call": _latency("latency_p95_call"),
    "latency_p95_model": _latency("latency_p95_model"),
    "retry_rate": _Series(_retries, _share(), "n", _tool_retries),
    "retry_success_rate": _Series(_retries, _share("success_"), "success_n", _tool_retries),
    "steps_per_task": _Series(_steps, mean_steps, "n"),
    "guard_hits": _Series(_guard, hits_of, "n"),
    "guard_hit_rate": _Series(_guard, _share(), "n"),
    "conflict_share": _Series(_health, _share("conflict_"), "conflict_n"),
    "unknown_share": _Series(_health, _share("unknown_"), "unknown_n"),
    "mean_confidence": _Series(_health, _share("confidence_"), "confidence_n"),
    "parse_p95": _latency("parse_p95"),
    "noise_exposure": _Series(_health, _share("noise_"), "noise_n"),
}

_QUESTIONS = dict.fromkeys(series.ask for series in _SERIES.values())
