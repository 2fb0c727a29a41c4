"""Figures over time."""

import pytest

from metrics import (
    DAY_NS,
    DEFINITIONS,
    HOUR_NS,
    Scope,
    UnknownMetricError,
    bucket_width_ns,
    trend,
    trends,
)
from tests.metrics.conftest import Store

START = 1_700_006_400 * 10**9  # midnight
HOUR = 3600


def at(hours: float) -> float:
    """Seconds after T0 of a time so many hours after midnight."""
    return 6400 + hours * HOUR


@pytest.mark.parametrize(
    ("days", "width"), [(1, HOUR_NS), (3, HOUR_NS), (7, DAY_NS), (400, DAY_NS), (401, 30 * DAY_NS)]
)
def test_a_bucket_is_an_hour_a_day_or_thirty(days: int, width: int) -> None:
    assert bucket_width_ns(Scope(0, days * DAY_NS)) == width


def test_a_bucket_without_data_is_none_not_zero(store: Store) -> None:
    store.call(1, 0, start=at(0.5), attempts=2)
    store.call(2, 0, start=at(0.6))
    store.call(3, 0, start=at(2.5))
    points = trend(store.database, "retry_rate", Scope(START, START + 3 * HOUR_NS))
    assert [(p.time_ns, p.value, p.n) for p in points] == [
        (START, 0.5, 2),
        (START + HOUR_NS, None, 0),
        (START + 2 * HOUR_NS, 0, 1),
    ]


def test_a_scope_inside_a_bucket_keeps_the_bucket_whole_in_name_only(store: Store) -> None:
    store.call(1, 0, start=at(0.1))
    store.call(2, 0, start=at(0.5))
    scope = Scope(START + HOUR_NS // 4, START + HOUR_NS)
    (point,) = trend(store.database, "retry_rate", scope)
    assert (point.time_ns, point.n) == (START, 1)


def test_every_metric_has_a_trend_over_its_own_rows(store: Store) -> None:
    store.trace(1, start=at(0), steps=4)
    for index in range(80):
        store.call(1, index, start=at(0.1), attempts=2)
        store.attempt(1, index, start=at(0.1))
        store.model_call(1, start=at(0.1))
    store.decision(1, time=at(0.1))
    store.label(1, label="RIGHT_TOOL_WRONG_ARGS")
    store.guard(1, 0, time=at(0.1), decision="block")
    store.guard(1, 1, time=at(0.1))
    for _ in range(80):
        store.observation(
            1,
            time=at(0.1),
            cells=10,
            multi=4,
            conflicts=1,
            unknown=2,
            confidence=0.75,
            parse_ms=3.0,
            noise_hits=1,
        )
    scope = Scope(START, START + HOUR_NS)
    together = trends(store.database, scope)
    found = {item.key: trend(store.database, item.key, scope)[0] for item in DEFINITIONS}
    assert together == {key: (point,) for key, point in found.items()}
    assert {key: (point.value, point.n) for key, point in found.items()} == {
        "selection_accuracy": (1, 1),
        "call_accuracy": (0, 1),
        "latency_p95_attempt": (1000, 80),
        "latency_p95_call": (1000, 80),
        "latency_p95_model": (1000, 80),
        "retry_rate": (1, 80),
        "retry_success_rate": (1, 80),
        "steps_per_task": (4, 1),
        "guard_hits": (1, 2),
        "guard_hit_rate": (0.5, 2),
        "conflict_share": (0.25, 320),
        "unknown_share": (0.2, 800),
        "mean_confidence": (0.75, 800),
        "parse_p95": (3.0, 80),
        "noise_exposure": (1, 80),
    }


def test_a_bucket_of_left_out_rows_has_no_value(store: Store) -> None:
    store.trace(1, start=at(0.1), finished=False)
    store.call(1, 0, start=at(0.1), pseudo=True)
    store.guard(1, time=at(0.1), synthetic=True)
    store.decision(1, time=at(0.1))
    store.label(1, label="CANT_TELL")
    store.observation(2, time=None)
    scope = Scope(START, START + HOUR_NS)
    for item in DEFINITIONS:
        (point,) = trend(store.database, item.key, scope)
        assert (point.value, point.n) == (None, 0)


def test_an_unknown_metric_is_refused(store: Store) -> None:
    with pytest.raises(UnknownMetricError, match="expected one of selection_accuracy"):
        trend(store.database, "speed", Scope(0, 1))
