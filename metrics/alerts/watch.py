"""Which detector watches which series, and what counts as worth telling."""

from collections.abc import Iterator
from typing import Any, Final

from metrics.alerts.alert import AlertKey
from metrics.alerts.hourly import (
    Hours,
    accuracy_hours,
    duration_hours,
    guard_hours,
    health_hours,
    model_hours,
    parse_hours,
    retry_hours,
    step_hours,
)
from metrics.detect import (
    AccuracyDetector,
    AccuracyRule,
    Detector,
    GuardDetector,
    MeanDetector,
    MeanRule,
    QuantileDetector,
    QuantileRule,
    RateDetector,
    RateRule,
    Watched,
)
from metrics.statements import Store
from metrics.thresholds import Thresholds
from metrics.values import Scope

__all__ = ["bucket_ms", "detector_of", "watched"]

_LOG_BASE: Final = 1.02
"""Width of the buckets in which durations are kept (`span.lat_bucket`)."""
_MIN_CALLS: Final = 50
_MIN_DURATIONS: Final = 72
"""The fewest that bound a P95 on both sides."""
_MIN_RETRIED: Final = 30
_MIN_CELLS: Final = 200


def bucket_ms(bucket: int) -> float:
    """The middle of a latency bucket, in milliseconds."""
    return float(_LOG_BASE ** (bucket + 0.5)) / 1000


def watched(database: Store, scope: Scope, thresholds: Thresholds) -> list[Watched[AlertKey]]:
    """Every series of the scope with its detector, none of which has seen anything yet."""
    return [
        Watched(key, detector_of(key, thresholds), slots)
        for hours in _all_hours(database, scope, thresholds)
        for key, slots in hours.items()
    ]


def detector_of(key: AlertKey, thresholds: Thresholds) -> Detector[Any]:
    """A new detector for a series of that figure."""
    if key.metric == "selection_accuracy":
        return AccuracyDetector(AccuracyRule(limit=thresholds.min_selection_accuracy))
    if key.metric == "guard_hits":
        return GuardDetector(thresholds.max_zero_hits_probability)
    if key.metric == "steps_per_task":
        return MeanDetector(MeanRule(_MIN_CALLS, thresholds.max_steps_factor, min_change=0.3))
    if key.metric in {"latency_p95_call", "latency_p95_model"}:
        return QuantileDetector(_latency_rule(key, thresholds))
    return RateDetector(_rate_rules(thresholds)[key.metric])


def _all_hours(database: Store, scope: Scope, thresholds: Thresholds) -> Iterator[Hours]:
    yield retry_hours(database, scope)
    yield duration_hours(database, scope)
    yield model_hours(database, scope)
    yield step_hours(database, scope)
    yield health_hours(database, scope)
    yield parse_hours(database, scope, thresholds.max_parse_p95_ms)
    yield guard_hours(database, scope)
    yield accuracy_hours(database, scope)


def _latency_rule(key: AlertKey, thresholds: Thresholds) -> QuantileRule:
    is_call = key.metric == "latency_p95_call"
    fixed = thresholds.of(key.metric, key.tool_name) if is_call else None
    return QuantileRule(
        q=0.95,
        min_n=_MIN_DURATIONS,
        min_factor=thresholds.max_tool_p95_factor if is_call else thresholds.max_model_p95_factor,
        min_change=thresholds.min_tool_p95_rise_ms,
        unit=bucket_ms,
        limit=fixed.limit if fixed else None,
    )


def _rate_rules(thresholds: Thresholds) -> dict[str, RateRule]:
    return {
        "retry_rate": RateRule(
            _MIN_CALLS, thresholds.max_retry_factor, min_change=0.02, has_cusum=True
        ),
        "retry_success_rate": RateRule(_MIN_RETRIED, min_change=0.15, is_fall=True),
        "unknown_share": RateRule(
            _MIN_CELLS, thresholds.max_unknown_factor, thresholds.min_unknown_rise
        ),
        "conflict_share": RateRule(_MIN_CELLS, limit=thresholds.max_conflict_share),
        "noise_exposure": RateRule(_MIN_CALLS, 1.5, min_change=0.05),
        "parse_p95": RateRule(_MIN_DURATIONS, limit=0.05),
    }
