"""Every figure leads to exactly the traces it counts."""

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics import (
    DEFINITIONS,
    LabelSource,
    Metric,
    Part,
    Scope,
    UnknownMetricError,
    behind,
    behind_count,
    guard_hits,
    latency_p95,
    observation_health,
    retry_rate,
    selection_accuracy,
    steps_per_task,
)
from tests.metrics.conftest import ALL, SECOND, T0, Store, trace_id

STATUSES = ["ok", "ok", "error", "blocked", "unknown", "pending"]
LABELS = ["RIGHT", "WRONG_TOOL", "RIGHT_TOOL_WRONG_ARGS", "CANT_TELL", "CORRECT_NO_CALL"]
GENERATED = settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def world(store: Store, seed: int) -> None:
    """Traces of every kind of row, many of them such as must be left out."""
    store.clear()
    draw = random.Random(seed)  # noqa: S311 - rows to count, no secrets
    for number in range(draw.randint(1, 12)):
        store.trace(
            number,
            start=draw.choice([0, 50, 99, None]),
            steps=draw.choice([0, 2, 5, None]),
            finished=draw.random() < 0.8,
            task=draw.choice([None, "shared"]),
            agent_name=draw.choice(["a", "b", None]),
        )
        calls(store, draw, number)
        judgements(store, draw, number)
        observations(store, draw, number)


def observations(store: Store, draw: random.Random, number: int) -> None:
    store.pointer("v1", moved=1)
    for _ in range(draw.randint(0, 10)):
        cells = draw.randint(0, 5)
        span_id = store.observation(
            number,
            time=draw.choice([0, 60, 99, 100, None]),
            cells=cells,
            multi=cells // 2,
            conflicts=draw.randint(0, cells // 2),
            unknown=draw.randint(0, cells),
            confidence=draw.choice([0.5, 0.9]) if cells else None,
            parse_ms=draw.choice([1.0, 2.0, 80.0, None]),
            noise_hits=draw.choice([None, 0, 2]),
            tools=draw.choice([("search",), ("search", "pay"), ("pay",)]),
        )
        if draw.random() < 0.3:
            store.reread(number, span_id, version="v1", cells=cells, confidence=0.95)


def calls(store: Store, draw: random.Random, number: int) -> None:
    for index in range(draw.randint(0, 14)):
        tool, start = draw.choice(["search", "pay"]), draw.choice([0, 60, 99, 100, None])
        attempts = draw.choice([1, 1, 2])
        store.call(
            number,
            index,
            start=start,
            seconds=draw.choice([0.1, 1, 3, None, -1]),
            status=draw.choice(STATUSES),
            attempts=attempts,
            root=draw.choice([index, max(0, index - 1)]),
            tool=tool,
            executed=draw.random() < 0.9,
            pseudo=draw.random() < 0.1,
            agent_name=draw.choice(["a", None]),
        )
        for attempt in range(attempts):
            store.attempt(
                number,
                index,
                attempt,
                start=start,
                seconds=draw.choice([0.1, 2, None]),
                status=draw.choice(STATUSES),
                tool=tool,
            )
        store.model_call(number, start=start, seconds=draw.choice([0.5, 4, None]))


def judgements(store: Store, draw: random.Random, number: int) -> None:
    for turn in range(draw.randint(0, 3)):
        call = draw.choice([0, None])
        if draw.random() < 0.9:
            store.decision(number, turn, call, time=draw.choice([0, 99, 100, None]))
        for annotator in range(draw.randint(0, 3)):
            store.label(
                number,
                turn,
                call,
                label=draw.choice(LABELS),
                by=str(annotator),
                kind=draw.choice(["HUMAN", "HUMAN", "LLM", "RULE"]),
                source=draw.choice(["audit", "replay"]),
                probability=draw.choice([1.0, 0.25, 0.1]),
            )
        store.guard(
            number,
            turn,
            time=draw.choice([0, 99, 100, None]),
            decision=draw.choice(["allow", "block", "unknown", "modify"]),
            synthetic=draw.random() < 0.2,
        )


def figures(store: Store, scope: Scope) -> dict[str, Metric]:
    database = store.database
    accuracy, retries = selection_accuracy(database, scope), retry_rate(database, scope)
    latency, guard = latency_p95(database, scope), guard_hits(database, scope)
    health = observation_health(database, scope)
    found = (
        accuracy.selection,
        accuracy.call,
        latency.attempt,
        latency.call,
        latency.model,
        retries.rate,
        retries.success,
        steps_per_task(database, scope).mean,
        guard.hits,
        guard.rate,
        health.conflict,
        health.unknown,
        health.confidence,
        health.parse,
        health.noise,
    )
    return {metric.key: metric for metric in found}


@GENERATED
@given(
    seed=st.integers(0, 10**6),
    tool=st.sampled_from([None, "search"]),
    agent=st.sampled_from([None, "a"]),
)
def test_the_traces_behind_a_figure_add_up_to_it(
    shared_store: Store, seed: int, tool: str | None, agent: str | None
) -> None:
    world(shared_store, seed)
    scope = Scope(T0, T0 + 100 * SECOND, tool, agent)
    for key, metric in figures(shared_store, scope).items():
        for part, expected in (
            (Part.NUMERATOR, metric.numerator),
            (Part.DENOMINATOR, metric.denominator),
        ):
            page = behind(shared_store.database, key, part, scope, limit=100)
            assert sum(trace.units for trace in page.traces) == pytest.approx(expected), key
            assert page.units == pytest.approx(expected)
            assert page.n_traces == len(page.traces)
            assert page.n == sum(trace.n for trace in page.traces)
            count = behind_count(shared_store.database, key, part, scope)
            assert (count.n_traces, count.units) == (page.n_traces, page.units)


def numbers(metric: Metric) -> list[float | None]:
    """What a figure says; sums of fractions depend in their last digit on the order of the rows."""
    interval = metric.interval
    bounds = [None, None] if interval is None else [interval.low, interval.high]
    return [metric.value, metric.numerator, metric.n, *bounds]


@GENERATED
@given(seed=st.integers(0, 10**6))
def test_left_out_rows_never_change_a_figure(shared_store: Store, seed: int) -> None:
    world(shared_store, seed)
    before = figures(shared_store, ALL)
    shared_store.trace(100, finished=False, steps=99)
    shared_store.call(100, 0, pseudo=True, attempts=5, status="error", seconds=99)
    shared_store.attempt(100, 0, seconds=99)
    shared_store.call(100, 1, executed=False, status="pending", seconds=None)
    shared_store.call(100, 2, status="blocked", attempts=3, seconds=99)
    shared_store.attempt(100, 2, status="blocked", seconds=99)
    shared_store.model_call(100, seconds=None)
    shared_store.decision(100)
    shared_store.label(100, label="CANT_TELL", probability=0.01)
    shared_store.label(101, label="RIGHT", probability=0.01)
    shared_store.guard(100, decision="block", synthetic=True)
    shared_store.guard(100, 1, decision="pending")
    after = figures(shared_store, ALL)
    for key, metric in after.items():
        assert numbers(metric) == pytest.approx(numbers(before[key])), key
        n_left_out = sum(item.n for item in metric.exclusions)
        assert n_left_out >= sum(item.n for item in before[key].exclusions)


@GENERATED
@given(seed=st.integers(0, 10**6))
def test_a_rate_is_its_numerator_over_its_denominator(shared_store: Store, seed: int) -> None:
    world(shared_store, seed)
    for metric in figures(shared_store, ALL).values():
        if metric.unit == "rate":
            share = metric.numerator / metric.denominator if metric.denominator else None
            assert metric.value == share
            assert share is None or 0 <= share <= 1
        if metric.interval is not None and metric.value is not None:
            assert metric.interval.low <= metric.value <= metric.interval.high


def test_pages_are_newest_first_and_carry_the_totals(store: Store) -> None:
    for number in range(5):
        store.trace(number, start=number)
        store.call(number, 0, start=number)
    page = behind(store.database, "retry_rate", Part.DENOMINATOR, ALL, limit=2, offset=1)
    assert [trace.trace_id for trace in page.traces] == [trace_id(3), trace_id(2)]
    assert page.traces[0].start_time_ns == T0 + 3 * SECOND
    assert (page.n_traces, page.units) == (5, 5)


def test_slow_units_lead_to_their_traces(store: Store) -> None:
    for number in range(100):
        store.call(number, 0, seconds=9 if number == 42 else 1)
        store.call(number, 1, seconds=1)
    page = behind(store.database, "latency_p95_call", Part.NUMERATOR, ALL, limit=300)
    metric = latency_p95(store.database, ALL).call
    assert metric.numerator == page.units
    assert trace_id(42) in {trace.trace_id for trace in page.traces}


def test_a_task_of_two_traces_adds_one_and_lists_both(store: Store) -> None:
    store.trace(1, task="t", start=5, steps=2)
    store.trace(2, task="t", start=1, steps=3)
    page = behind(store.database, "steps_per_task", Part.DENOMINATOR, ALL)
    assert {trace.trace_id: trace.units for trace in page.traces} == {
        trace_id(1): 0,
        trace_id(2): 1,
    }
    assert (page.n_traces, page.units) == (2, 1)


def test_what_makes_a_figure_bad_leads_to_its_traces(store: Store) -> None:
    store.decision(1)
    store.label(1, label="WRONG_TOOL", probability=0.5)
    store.decision(2)
    store.label(2)
    for number in range(3, 23):
        store.trace(number, steps=9 if number == 7 else 2)
    store.call(30, 0, status="error", attempts=3)
    store.call(31, 0, attempts=3)
    found = {
        key: behind(store.database, key, Part.WORST, ALL)
        for key in ("selection_accuracy", "steps_per_task", "retry_success_rate", "retry_rate")
    }
    ids = {key: [trace.trace_id for trace in page.traces] for key, page in found.items()}
    assert ids["selection_accuracy"] == [trace_id(1)]
    assert found["selection_accuracy"].units == 2
    assert ids["steps_per_task"] == [trace_id(number) for number in range(3, 23)]
    assert ids["retry_success_rate"] == [trace_id(30)]
    assert ids["retry_rate"] == [trace_id(30), trace_id(31)]


def test_long_tasks_are_those_of_the_p90_and_more(store: Store) -> None:
    for number in range(1, 21):
        store.trace(number, steps=number)
    page = behind(store.database, "steps_per_task", Part.WORST, ALL)
    assert [trace.trace_id for trace in page.traces] == [trace_id(19), trace_id(20)]


def test_weights_and_decisions_are_both_told(store: Store) -> None:
    store.decision(1)
    store.label(1, probability=0.1)
    page = behind(store.database, "selection_accuracy", Part.NUMERATOR, ALL)
    assert (page.traces[0].n, page.traces[0].units) == (1, 10)
    replay = behind_count(
        store.database, "selection_accuracy", Part.NUMERATOR, ALL, LabelSource.REPLAY
    )
    assert replay.units == 0


@pytest.mark.parametrize("ask", [behind, behind_count])
def test_an_unknown_metric_is_refused(store: Store, ask: Callable[..., object]) -> None:
    with pytest.raises(UnknownMetricError):
        ask(store.database, "speed", Part.NUMERATOR, ALL)


def test_an_empty_store_has_nothing_behind_any_figure(store: Store) -> None:
    for item in DEFINITIONS:
        for part in Part:
            assert behind(store.database, item.key, part, ALL).traces == ()
