"""Steps of finished tasks."""

import pytest

from metrics import Exclusion, Reason, Scope, State, StepCount, steps_per_task
from tests.metrics.conftest import ALL, SECOND, T0, Store


def test_a_task_is_every_trace_of_its_id(store: Store) -> None:
    store.trace(1, task="t", steps=3)
    store.trace(2, task="t", steps=2, start=10)
    store.trace(3, steps=7)
    found = steps_per_task(store.database, ALL)
    assert (found.mean.numerator, found.mean.denominator) == (12, 2)
    assert found.mean.value == 6
    assert found.histogram == (StepCount(5, 1), StepCount(7, 1))


def test_unfinished_tasks_and_unseen_steps_are_left_out_and_counted(store: Store) -> None:
    store.trace(1, steps=4)
    store.trace(2, finished=False)
    store.trace(3, task="half", finished=False)
    store.trace(4, task="half")
    store.trace(5, steps=None)
    store.trace(6, start=None)
    found = steps_per_task(store.database, ALL)
    assert (found.mean.value, found.mean.n) == (4, 1)
    assert found.mean.exclusions == (
        Exclusion(Reason.UNFINISHED, 2),
        Exclusion(Reason.STEPS_UNKNOWN, 1),
        Exclusion(Reason.NO_START_TIME, 1),
    )
    assert found.histogram == (StepCount(4, 1),)


def test_a_task_is_placed_by_its_first_start(store: Store) -> None:
    store.trace(1, task="t", start=5)
    store.trace(2, task="t", start=15)
    assert steps_per_task(store.database, Scope(T0, T0 + 10 * SECOND)).mean.n == 1
    assert steps_per_task(store.database, Scope(T0 + 10 * SECOND, T0 + 20 * SECOND)).mean.n == 0


def test_p90_and_repeating_tasks_stand_beside_the_mean(store: Store) -> None:
    for number in range(10):
        store.trace(number, steps=number + 1, longest_identical_run=3 if number < 2 else 0)
    found = steps_per_task(store.database, ALL)
    assert found.p90 == pytest.approx(9.1)
    assert (found.n_repeating, found.repeating_rate) == (2, 0.2)


def test_a_tool_or_an_agent_stands_for_the_tasks_it_took_part_in(store: Store) -> None:
    store.trace(1, task="t", steps=3, agent_name="a")
    store.trace(2, task="t", steps=2)
    store.trace(3, steps=9)
    store.call(2, 0, tool="search")
    for scope in (
        Scope(ALL.start_time_ns, ALL.end_time_ns, "search"),
        Scope(ALL.start_time_ns, ALL.end_time_ns, None, "a"),
    ):
        assert steps_per_task(store.database, scope).mean.numerator == 5


def test_no_tasks_give_no_mean(store: Store) -> None:
    found = steps_per_task(store.database, ALL)
    assert found.mean.value is None
    assert (found.p90, found.repeating_rate, found.histogram) == (None, None, ())
    assert found.mean.state is State.NO_DATA


@pytest.mark.parametrize(("steps", "state"), [(4, State.OK), (9, State.BAD)])
def test_the_mean_is_judged_by_the_period_before(store: Store, steps: int, state: State) -> None:
    for number in range(40):
        store.trace(number, start=-500, steps=4)
        store.trace(100 + number, start=5, steps=steps)
    found = steps_per_task(store.database, Scope(T0, T0 + 1000 * SECOND)).mean
    assert found.state is state
