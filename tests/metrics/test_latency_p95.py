"""P95 of attempts, calls and model calls."""

import numpy as np
import pytest

from metrics import (
    Exclusion,
    Metric,
    Note,
    Reason,
    Scope,
    State,
    Thresholds,
    latency_p95,
    latency_p95_attempt,
    latency_p95_call,
    latency_p95_model,
)
from tests.metrics.conftest import ALL, SECOND, T0, Store


def fill(store: Store, seconds: list[float]) -> None:
    """One call with one attempt and one model call for each duration."""
    for number, duration in enumerate(seconds):
        store.call(number, 0, seconds=duration)
        store.attempt(number, 0, seconds=duration)
        store.model_call(number, seconds=duration)


def each(store: Store) -> tuple[Metric, Metric, Metric]:
    found = latency_p95(store.database, ALL)
    return found.attempt, found.call, found.model


def test_a_p95_is_hidden_below_72_and_says_how_many_are_missing(store: Store) -> None:
    fill(store, [1.0] * 71)
    for found in each(store):
        assert found.value is None
        assert (found.n, found.n_more) == (71, 1)
        assert (found.state, found.note) == (State.NO_DATA, Note.TOO_FEW)
        assert found.interval is None
        assert found.numerator == 0


def test_a_p95_has_the_exact_quantile_and_the_order_statistics(store: Store) -> None:
    seconds = [number / 100 for number in range(1, 201)]
    fill(store, seconds)
    for found in each(store):
        assert found.value == pytest.approx(np.quantile(seconds, 0.95) * 1000)
        assert found.interval is not None
        # Ranks 184 and 197 of 200.
        assert found.interval.low == pytest.approx(1840)
        assert found.interval.high == pytest.approx(1970)
        assert found.numerator == sum(s >= np.quantile(seconds, 0.95) for s in seconds)
        assert found.denominator == 200


def test_only_real_durations_count_and_the_rest_is_named(store: Store) -> None:
    store.trace(9)
    fill(store, [1.0] * 72)
    store.call(9, 0, seconds=None)
    store.call(9, 1, seconds=-1)
    store.call(9, 2, executed=False, status="pending", seconds=None)
    store.call(9, 3, status="blocked", start=None)
    store.call(9, 4, pseudo=True)
    store.call(9, 5, start=None)
    found = latency_p95_call(store.database, ALL)
    assert found.n == 72
    assert found.exclusions == (
        Exclusion(Reason.UNFINISHED, 1),
        Exclusion(Reason.NEGATIVE_DURATION, 1),
        Exclusion(Reason.NEVER_EXECUTED, 1),
        Exclusion(Reason.BLOCKED, 1),
        Exclusion(Reason.PSEUDO_TOOL, 1),
        Exclusion(Reason.NO_START_TIME, 1),
    )


def test_attempts_of_pseudo_tools_are_left_out(store: Store) -> None:
    store.call(1, 0, pseudo=True)
    store.attempt(1, 0)
    store.call(1, 1)
    store.attempt(1, 1, status="blocked")
    found = latency_p95_attempt(store.database, ALL)
    assert found.n == 0
    assert found.exclusions == (
        Exclusion(Reason.BLOCKED, 1),
        Exclusion(Reason.PSEUDO_TOOL, 1),
    )


def test_a_tool_stands_for_the_model_calls_that_asked_for_it(store: Store) -> None:
    asking = store.model_call(1)
    store.model_call(1)
    store.decision(1, tool="search", llm_span_id=asking)
    scope = Scope(ALL.start_time_ns, ALL.end_time_ns, "search")
    assert latency_p95_model(store.database, scope).n == 1


def test_an_agent_stands_for_the_model_calls_of_its_traces(store: Store) -> None:
    store.trace(1, agent_name="planner")
    store.trace(2, agent_name="writer")
    store.model_call(1)
    store.model_call(2)
    scope = Scope(ALL.start_time_ns, ALL.end_time_ns, None, "planner")
    assert latency_p95_model(store.database, scope).n == 1


@pytest.mark.parametrize(("seconds", "state"), [(1.0, State.OK), (4.0, State.BAD)])
def test_an_attempt_is_judged_by_three_seconds(store: Store, seconds: float, state: State) -> None:
    fill(store, [seconds] * 80)
    assert latency_p95_attempt(store.database, ALL).state is state


def test_the_limit_can_be_set(store: Store) -> None:
    fill(store, [1.0] * 80)
    strict = Thresholds(max_attempt_p95_ms=500)
    assert latency_p95_attempt(store.database, ALL, strict).state is State.BAD


def test_a_model_is_judged_by_the_period_before(store: Store) -> None:
    for number in range(80):
        store.model_call(number, start=-100, seconds=1)
        store.model_call(number, start=0, seconds=2)
    scope = Scope(T0, T0 + 1000 * SECOND)
    found = latency_p95_model(store.database, scope)
    assert found.state is State.BAD
    assert found.baseline is not None
    assert found.baseline.value == 1000
