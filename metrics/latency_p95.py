"""How slow are the slowest? P95 of attempts, of logical calls and of model calls, apart.

Together they tell a slow downstream (attempts) from waiting between retries (calls) and from a slow
model (model calls).
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from metrics.estimate import exclusions
from metrics.intervals import MIN_N_P95, Ranks, quantile_ranks
from metrics.judge import Verdict, judge
from metrics.latency_buckets import start_ns
from metrics.periods import Pair, Periods, periods
from metrics.rollups import best_of
from metrics.statements import Row, Store
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Baseline, Counted, Interval, Metric, Note, Reason, Scope, State, Unit

Q: Final = 0.95
_NS_PER_MS: Final = 1_000_000
_LEVEL: Final = 0.95

_COUNTED: Final = {
    "latency_p95_attempt": Counted.ATTEMPTS,
    "latency_p95_call": Counted.CALLS,
    "latency_p95_model": Counted.MODEL_CALLS,
    "parse_p95": Counted.OBSERVATIONS,
}
_REASONS: Final = (
    Reason.NO_PARSE_TIME,
    Reason.UNFINISHED,
    Reason.NEGATIVE_DURATION,
    Reason.NEVER_EXECUTED,
    Reason.BLOCKED,
    Reason.PSEUDO_TOOL,
    Reason.NO_START_TIME,
)


@dataclass(frozen=True, slots=True)
class Latency:
    """Three P95 in milliseconds, each with its own n."""

    attempt: Metric
    call: Metric
    model: Metric


def latency_p95(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Latency:
    """The three P95; each None below 72 durations, the least that bounds a P95 on both sides.

    The quantile interpolates between neighbours (`quantile_cont`). The numerator counts the units
    that took the P95 or longer. From rollups quantiles are within 1 %, and say so.

    Source: S3 §7.2; order-statistic interval, distribution-free.
    """
    return Latency(
        attempt=latency_p95_attempt(database, scope, thresholds),
        call=latency_p95_call(database, scope, thresholds),
        model=latency_p95_model(database, scope, thresholds),
    )


def latency_p95_attempt(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Metric:
    """P95 of single tries: what the downstream takes."""
    return p95_metric(database, "latency_p95_attempt", scope, thresholds)


def latency_p95_call(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Metric:
    """P95 of logical calls: first attempt's start to last attempt's end, waits included."""
    return p95_metric(database, "latency_p95_call", scope, thresholds)


def latency_p95_model(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Metric:
    """P95 of model calls."""
    return p95_metric(database, "latency_p95_model", scope, thresholds)


def latency_periods(
    database: Store, key: str, scope: Scope, bucket_ns: int | None = None
) -> Periods:
    """N and P95 now, before, of each time bucket and, but for the model, of each tool."""
    return _ask(database, key, scope, bucket_ns)


def latency_by_tool(database: Store, scope: Scope) -> dict[str, Pair]:
    """N and P95 of the calls of each tool, now and before; empty without calls."""
    return _ask(database, "latency_p95_call", scope, None, is_by_tool=True).by("tool_name")


def p95_ms(row: Row) -> float | None:
    """The P95 of a bucket in milliseconds; None below 72."""
    return None if row["n"] < MIN_N_P95 else row["value_ns"] / _NS_PER_MS


def slow_ns(database: Store, key: str, scope: Scope) -> float | None:
    """From how many nanoseconds on a unit counts as slow: the P95; None when it is hidden.

    Where the P95 is approximate, from the start of its latency bucket on.
    """
    row = latency_periods(best_of(database, scope), key, scope).now
    return _slow_ns(row) if row and row["n"] >= MIN_N_P95 else None


def _slow_ns(row: Row) -> float:
    value = float(row["value_ns"])
    return start_ns(value) if _is_approximate(row) else value


def _is_approximate(row: Row | None) -> bool:
    return bool(row and row.get("is_approximate"))


def p95_metric(database: Store, key: str, scope: Scope, thresholds: Thresholds) -> Metric:
    """The P95 that the statement of that key asks for, with interval and verdict."""
    return _metric(database, key, scope, latency_periods(database, key, scope).whole, thresholds)


def p95_of_tool(database: Store, scope: Scope, tool_name: str, thresholds: Thresholds) -> Metric:
    """The P95 of the calls of one tool of a scope over all tools."""
    found = latency_by_tool(database, scope).get(tool_name, Pair(None, None))
    narrow = replace(scope, tool_name=tool_name)
    return _metric(database, "latency_p95_call", narrow, found, thresholds)


def _metric(database: Store, key: str, scope: Scope, found: Pair, thresholds: Thresholds) -> Metric:
    row = found.now
    value = p95_ms(row) if row else None
    ranks = quantile_ranks(int(row["n"]), Q) if row else None
    bounds = _bounds(database, key, scope, row, ranks) if row and ranks else None
    interval = _interval(bounds)
    baseline = _baseline(found.before)
    threshold = thresholds.of(key, scope.tool_name)
    verdict = judge(value, interval, threshold, baseline, thresholds.min_baseline_n)
    if row and row["n"] and value is None:
        verdict = Verdict(State.NO_DATA, Note.TOO_FEW)
    n = int(row["n"]) if row else 0
    return Metric(
        key=key,
        value=value,
        unit=Unit.MS,
        numerator=int(bounds["n_slow"]) if bounds else 0,
        denominator=n,
        n=n,
        counted=_COUNTED[key],
        interval=interval,
        exclusions=exclusions(row, (reason for reason in _REASONS if row and reason in row)),
        threshold=threshold,
        baseline=baseline,
        state=verdict.state,
        note=verdict.note,
        n_more=MIN_N_P95 - n if verdict.note is Note.TOO_FEW else None,
        is_approximate=_is_approximate(row),
    )


def _bounds(database: Store, key: str, scope: Scope, row: Row, ranks: Ranks) -> Row:
    """The same question again, now that n is known: the interval's ranks and the slow units."""
    steps = int(row["n"]) - 1
    found = _ask(
        database,
        key,
        scope,
        None,
        q_low=(ranks.low - 1) / steps,
        q_high=(ranks.high - 1) / steps,
        slow_ns=_slow_ns(row),
    )
    return found.now or row


def _interval(bounds: Row | None) -> Interval | None:
    if bounds is None:
        return None
    low, value, high = (bounds[name] / _NS_PER_MS for name in ("low_ns", "value_ns", "high_ns"))
    return Interval(min(low, value), max(high, value), _LEVEL, "order_statistic")


def _baseline(row: Row | None) -> Baseline | None:
    value = p95_ms(row) if row else None
    return None if row is None or value is None else Baseline(value, int(row["n"]))


def _ask(
    database: Store,
    key: str,
    scope: Scope,
    bucket_ns: int | None,
    *,
    q_low: float = Q,
    q_high: float = Q,
    slow_ns: float | None = None,
    is_by_tool: bool = False,
) -> Periods:
    quantiles: dict[str, Any] = {"q": Q, "q_low": q_low, "q_high": q_high, "slow_ns": slow_ns}
    return periods(database, key, scope, bucket_ns, **quantiles, is_by_tool=is_by_tool)
