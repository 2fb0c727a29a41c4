"""A tool with an SLA is judged by it: kept, broken, not enough evidence, or not enough data."""

import pytest

from metrics import (
    Note,
    Promise,
    Scope,
    State,
    Threshold,
    ThresholdKind,
    Thresholds,
    latency_p95_call,
    promised_p95,
    report,
    standouts,
)
from metrics.alerts.alert import AlertKey
from metrics.alerts.watch import detector_of
from metrics.detect import Values
from metrics.standouts import Subject, SubjectKind
from tests.metrics.conftest import ALL, Store

SLA = Thresholds(promises=(Promise("search", p95_ms=1_200), Promise("pay", per_day=9)))
SEARCH = Scope(ALL.start_time_ns, ALL.end_time_ns, "search")


def calls(store: Store, seconds: list[float], tool: str = "search") -> None:
    for number, duration in enumerate(seconds):
        store.call(number, 0, seconds=duration, tool=tool)


@pytest.mark.parametrize(
    ("seconds", "state", "note"),
    [
        ([1.0] * 100, State.OK, Note.WITHIN_LIMIT),
        ([1.0] * 80 + [2.0] * 20, State.BAD, Note.ABOVE_LIMIT),
        ([1.0] * 96 + [2.0] * 4, State.UNSURE, Note.MAYBE_ABOVE_LIMIT),
        ([2.0] * 71, State.NO_DATA, Note.TOO_FEW),
    ],
)
def test_an_sla_is_kept_broken_or_open(
    store: Store, seconds: list[float], state: State, note: Note
) -> None:
    calls(store, seconds)
    (found,) = promised_p95(store.database, ALL, SLA)
    assert (found.tool_name, found.metric.state, found.metric.note) == ("search", state, note)
    assert found.metric.threshold == Threshold(1_200, ThresholdKind.AT_MOST, is_promised=True)
    assert latency_p95_call(store.database, SEARCH, SLA) == found.metric


def test_without_an_sla_the_limit_of_all_calls_holds(store: Store) -> None:
    calls(store, [2.0] * 100)
    calls(store, [2.0] * 100, "pay")
    assert latency_p95_call(store.database, ALL, SLA).state is State.OK
    assert latency_p95_call(store.database, SEARCH).state is State.OK
    assert SLA.of("latency_p95_call", "pay") == SLA.of("latency_p95_call")
    assert SLA.of("latency_p95_attempt", "search") == SLA.of("latency_p95_attempt")


def test_a_tool_that_nobody_called_keeps_and_breaks_nothing(store: Store) -> None:
    calls(store, [2.0] * 100, "pay")
    assert promised_p95(store.database, ALL, SLA) == ()


def test_a_broken_sla_stands_out_although_all_calls_are_within_their_limit(store: Store) -> None:
    calls(store, [2.0] * 100)
    found = report(store.database, ALL, SLA)
    assert found.promised == promised_p95(store.database, ALL, SLA)
    (first,) = standouts(found)
    assert first.subject == Subject(SubjectKind.TOOL, "search", "search")
    assert (first.metric, first.value, first.limit) == ("latency_p95_call", 2_000, 1_200)


def test_an_alarm_watches_the_sla(store: Store) -> None:
    """Calls of two seconds: over the SLA of one tool, within the limit of the other."""
    two_seconds = Values({730: 100})
    for tool, is_told in (("search", True), ("pay", False)):
        key = AlertKey("latency_p95_call", Subject(SubjectKind.TOOL, tool, tool))
        detector = detector_of(key, SLA)
        readings = [detector.step(hour, two_seconds) for hour in range(3)]
        assert any(reading is not None and reading.is_large for reading in readings) is is_told
