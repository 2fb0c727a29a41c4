"""The traces behind a figure: exactly those that its numerator or denominator counts."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from metrics.definitions import definition
from metrics.latency_p95 import slow_ns
from metrics.observation_health import Reading
from metrics.selection_accuracy import LabelSource
from metrics.statements import Row, Store, answer
from metrics.steps_per_task import many_steps
from metrics.values import Scope


class Part(StrEnum):
    """Which part of a figure."""

    NUMERATOR = "numerator"
    DENOMINATOR = "denominator"
    WORST = "worst"
    """What makes a figure bad: wrong decisions, retries that failed, tasks of P90 steps and more;
    for every other figure its numerator."""


@dataclass(frozen=True, slots=True)
class BehindTrace:
    """One trace and how much of the figure it holds."""

    trace_id: str
    start_time_ns: int | None
    n: int
    """Decisions, calls, attempts, evaluations, steps or tasks of this trace in the part."""
    units: float
    """What they add to the part: `n`, but for weighted labels their weight."""


@dataclass(frozen=True, slots=True)
class Behind:
    """One page of traces, with totals over all pages."""

    traces: tuple[BehindTrace, ...]
    """Newest first; within one time by id."""
    n_traces: int
    n: int
    units: float
    """Equals the numerator or denominator of the metric."""


class _Question(NamedTuple):
    statement: str
    extra: dict[str, Any]


_QUESTIONS: Final = {
    "selection_accuracy": _Question("selection_accuracy", {"is_whole_call": False}),
    "call_accuracy": _Question("selection_accuracy", {"is_whole_call": True}),
    "latency_p95_attempt": _Question("latency_p95_attempt", {}),
    "latency_p95_call": _Question("latency_p95_call", {}),
    "latency_p95_model": _Question("latency_p95_model", {}),
    "retry_rate": _Question("retry_rate", {"is_success_rate": False}),
    "retry_success_rate": _Question("retry_rate", {"is_success_rate": True}),
    "steps_per_task": _Question("steps_per_task", {}),
    "guard_hits": _Question("guard_hits", {}),
    "guard_hit_rate": _Question("guard_hits", {}),
    "conflict_share": _Question("observation_health", {"figure": "conflict"}),
    "unknown_share": _Question("observation_health", {"figure": "unknown"}),
    "mean_confidence": _Question("observation_health", {"figure": "confidence"}),
    "parse_p95": _Question("parse_p95", {}),
    "noise_exposure": _Question("observation_health", {"figure": "noise"}),
}
_HAS_WORST: Final = {"selection_accuracy", "call_accuracy", "retry_success_rate", "steps_per_task"}
"""Figures whose worst is not their numerator."""
_PERCENTILES: Final = {
    "latency_p95_attempt",
    "latency_p95_call",
    "latency_p95_model",
    "parse_p95",
}


def behind(
    database: Store,
    key: str,
    part: Part,
    scope: Scope,
    limit: int = 50,
    offset: int = 0,
    source: LabelSource = LabelSource.AUDIT,
    reading: Reading = Reading.CURRENT,
) -> Behind:
    """One page of the traces that a figure counts, newest first.

    A task of several traces adds 1 through its first trace and 0 through the others, which are
    listed too. The numerator of a hidden P95 has no traces. A page past the end has neither
    traces nor totals.

    Args:
        database: The store.
        key: Key of a definition.
        part: Its numerator or denominator, or what makes it bad.
        scope: The scope of the figure.
        limit: Traces a page, at least 1.
        offset: Traces before the page.
        source: Of labels; only the accuracies read it.
        reading: By which dictionary; only observation health reads it.

    Raises:
        UnknownMetricError: No metric has that key.
    """
    question = _QUESTIONS[definition(key).key]
    wanted = Part(part)
    if wanted is Part.WORST and key not in _HAS_WORST:
        wanted = Part.NUMERATOR
    parameters: dict[str, Any] = {
        "part": wanted,
        "limit": limit,
        "offset": offset,
        "source": source,
        "reading": reading,
        **question.extra,
        **_line(database, key, wanted, scope),
    }
    rows = answer(database, f"behind/{question.statement}", scope, **parameters)
    return _page(rows)


def behind_count(
    database: Store,
    key: str,
    part: Part,
    scope: Scope,
    source: LabelSource = LabelSource.AUDIT,
    reading: Reading = Reading.CURRENT,
) -> Behind:
    """The totals of `behind` without its traces.

    Raises:
        UnknownMetricError: No metric has that key.
    """
    page = behind(database, key, part, scope, limit=1, source=source, reading=reading)
    return Behind((), page.n_traces, page.n, page.units)


def _line(database: Store, key: str, part: Part, scope: Scope) -> dict[str, float | None]:
    """From where on a unit counts as slow or a task as long; asked only where it matters."""
    if key in _PERCENTILES:
        is_asked = part is Part.NUMERATOR
        return {"slow_ns": slow_ns(database, key, scope) if is_asked else None}
    if key == "steps_per_task":
        return {"many_steps": many_steps(database, scope) if part is Part.WORST else None}
    return {}


def _page(rows: list[Row]) -> Behind:
    if not rows:
        return Behind((), 0, 0, 0)
    traces = tuple(
        BehindTrace(row["trace_id"], row["start_time_ns"], int(row["n"]), _units(row["units"]))
        for row in rows
    )
    total = rows[0]
    return Behind(
        traces, int(total["n_traces"]), int(total["total_n"]), _units(total["total_units"])
    )


def _units(value: float) -> float:
    return int(value) if float(value).is_integer() else float(value)
