"""What a person should look at first."""

import pytest

from metrics import (
    DAY_NS,
    HOUR_NS,
    Note,
    Part,
    Point,
    Scope,
    Standout,
    State,
    Subject,
    SubjectKind,
    behind,
    report,
    standouts,
)
from metrics.standouts import since
from tests.metrics.conftest import Store, trace_id

DAY = 86_400
START = 1_700_006_400 * 10**9  # midnight
WEEK = Scope(START, START + 7 * DAY_NS)


def at(day: float) -> float:
    """Seconds after T0 of a time so many days after the start of the week."""
    return 6400 + day * DAY


def found_in(store: Store, scope: Scope = WEEK) -> dict[str, Standout]:
    return {item.metric: item for item in standouts(report(store.database, scope))}


def calls(store: Store, tool: str, *, slow_from: int, n: int = 30) -> None:
    """A fortnight of a tool's calls; from a day on they take nine seconds instead of one."""
    for day in range(-7, 7):
        for index in range(n):
            number = 1000 * (day + 8) + index + 100 * (tool == "pay")
            seconds = 9 if day >= slow_from else 1
            store.call(number, 0, start=at(day + 0.1), seconds=seconds, tool=tool)


def test_nothing_bad_is_no_finding(store: Store) -> None:
    calls(store, "search", slow_from=99)
    assert standouts(report(store.database, WEEK)) == ()


def test_an_empty_store_has_no_finding(store: Store) -> None:
    assert standouts(report(store.database, WEEK)) == ()


def test_a_slow_tool_is_named_and_dated(store: Store) -> None:
    calls(store, "search", slow_from=99)
    calls(store, "pay", slow_from=3, n=80)
    found = found_in(store)["latency_p95_call"]
    assert found.subject == Subject(SubjectKind.TOOL, "pay", "pay")
    assert (found.value, found.limit, found.note) == (9000, 8000, Note.ABOVE_LIMIT)
    assert found.since_ns == START + 3 * DAY_NS
    assert found.part is Part.WORST


def test_a_tool_hidden_in_the_whole_is_found_by_its_own_past(store: Store) -> None:
    calls(store, "search", slow_from=99, n=60)
    for day in range(-7, 7):
        for index in range(12):
            seconds = 2 if day >= 2 else 0.5
            store.call(90_000 + 20 * day + index, 1, start=at(day), seconds=seconds, tool="pay")
    now = report(store.database, WEEK)
    (found,) = standouts(now)
    assert now.latency.call.state is State.OK
    assert (found.subject, found.value) == (Subject(SubjectKind.TOOL, "pay", "pay"), 2000)
    assert found.limit == pytest.approx(650)


def test_a_scope_of_one_tool_needs_no_subject(store: Store) -> None:
    calls(store, "pay", slow_from=3)
    found = found_in(store, Scope(WEEK.start_time_ns, WEEK.end_time_ns, "pay"))
    assert found["latency_p95_call"].subject is None


def test_a_wrongly_chosen_tool_leads_to_its_wrong_decisions(store: Store) -> None:
    for number in range(200):
        wrong = number < 80
        store.decision(number, time=at(1), tool="search" if number < 100 else "pay")
        store.label(number, label="WRONG_TOOL" if wrong else "RIGHT")
    found = found_in(store)["selection_accuracy"]
    assert found.subject == Subject(SubjectKind.TOOL, "search", "search")
    assert found.is_below
    scope = Scope(WEEK.start_time_ns, WEEK.end_time_ns, "search")
    assert found.part is not None
    page = behind(store.database, "selection_accuracy", found.part, scope, limit=100)
    assert {trace.trace_id for trace in page.traces} == {trace_id(n) for n in range(80)}


def test_a_silent_rule_is_a_finding_of_its_own(store: Store) -> None:
    for day in range(-7, 7):
        for index in range(20):
            store.guard(
                100 * (day + 8) + index,
                time=at(day + 0.1),
                decision="block" if index < 5 and day < 4 else "allow",
                tool="pay",
            )
    found = found_in(store)["guard_hits"]
    assert found.subject == Subject(SubjectKind.RULE, "danger", "pay")
    assert (found.note, found.n, found.since_ns) == (
        Note.ZERO_IMPROBABLE,
        60,
        START + 4 * DAY_NS + 2 * HOUR_NS,
    )
    assert found.baseline is not None
    assert (found.baseline.value, found.baseline.n) == (55, 220)
    assert found.part is Part.DENOMINATOR


def test_a_new_raw_value_is_named_with_its_tool_and_type(store: Store) -> None:
    for day in range(-7, 7):
        for index in range(20):
            number = 100 * (day + 8) + index
            is_new = day >= 2 and index < 10
            span_id = store.observation(
                number, time=at(day + 0.1), cells=2, unknown=1 if is_new else 0
            )
            if is_new:
                store.fact(number, span_id, raw="refunding", tool="pay")
    found = found_in(store)["unknown_share"]
    assert found.subject == Subject(SubjectKind.VALUE, "refunding", "pay", "STATUS")
    assert found.since_ns == START + 2 * DAY_NS


def test_more_steps_name_the_tool_that_is_called_more(store: Store) -> None:
    for day in range(-7, 7):
        for index in range(20):
            number = 100 * (day + 8) + index
            many = 4 if day >= 0 else 1
            store.trace(number, start=at(day + 0.1), steps=1 + many)
            store.call(number, 0, start=at(day + 0.1), tool="pay")
            for call in range(many):
                store.call(number, 1 + call, start=at(day + 0.1), tool="search")
    found = found_in(store)["steps_per_task"]
    assert found.subject == Subject(SubjectKind.TOOL, "search", "search")


def test_more_noise_is_told_without_a_verdict(store: Store) -> None:
    for day in range(-7, 7):
        for index in range(20):
            store.observation(
                100 * (day + 8) + index,
                time=at(day + 0.1),
                cells=1,
                noise_hits=1 if day >= 0 and index < 8 else 0,
            )
    (found,) = standouts(report(store.database, WEEK))
    assert (found.metric, found.state, found.severity) == (
        "noise_exposure",
        State.NOT_JUDGED,
        0,
    )


def test_the_most_severe_comes_first(store: Store) -> None:
    calls(store, "pay", slow_from=3)
    for number in range(60):
        store.decision(number, time=at(1), tool="pay")
        store.label(number, label="WRONG_TOOL" if number < 20 else "RIGHT")
    found = standouts(report(store.database, WEEK))
    assert [item.metric for item in found] == ["latency_p95_call", "selection_accuracy"]
    assert [item.severity for item in found] == sorted(
        (item.severity for item in found), reverse=True
    )


@pytest.mark.parametrize(
    ("values", "start"),
    [
        ([0, 0, 5, 6, 7], 2),
        ([0, 0, 5, 0.9, 7], 2),
        ([0, 5, 0, 0, 0], 1),
        ([5, 5, 5, 5], None),
        ([0, 0, 0], None),
        ([None, 0, None, 5], 3),
        ([], None),
    ],
)
def test_a_stretch_begins_where_the_limit_is_passed_for_good(
    values: list[float | None], start: int | None
) -> None:
    trend = [Point(place, value, 0 if value is None else 10) for place, value in enumerate(values)]
    mirrored = [Point(p.time_ns, None if p.value is None else -p.value, p.n) for p in trend]
    assert since(trend, 1, is_below=False) == start
    assert since(mirrored, -1, is_below=True) == start
