"""Evidence that grows: CUSUM, bets against an accuracy, silence, and which of many to believe."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.detect import (
    HOUR_NS,
    Cusum,
    GuardDetector,
    GuardHour,
    Judged,
    Run,
    SilenceKind,
    arrival_silence,
    cusum_p_value,
    discoveries,
    evidence,
    guard_silence,
    runs,
)

LIMIT = 0.85


def judged(correct: list[float], weight: float = 1.0) -> list[Judged]:
    return [Judged(place, value, weight) for place, value in enumerate(correct)]


@pytest.mark.parametrize("weight", [1.0, 0.4])
@pytest.mark.parametrize("accuracy", [0.85, 0.9, 0.97])
def test_a_bet_against_a_good_accuracy_wins_nothing_on_average(
    accuracy: float, weight: float
) -> None:
    expected = 0.0
    for outcome in product((0.0, 1.0), repeat=8):
        mass = 1.0
        for value in outcome:
            mass *= accuracy if value else 1 - accuracy
        expected += mass * evidence(judged(list(outcome), weight), LIMIT).wealth
    assert expected <= 1 + 1e-9
    if accuracy == LIMIT:
        assert expected == pytest.approx(1)


def test_nothing_judged_is_no_evidence() -> None:
    assert evidence([], LIMIT).wealth == pytest.approx(1)


def test_an_accuracy_of_three_quarters_is_found_within_a_hundred_and_fifty() -> None:
    draws = random.Random(1)  # noqa: S311 - a simulation
    found = [
        evidence(judged([float(draws.random() < 0.7) for _ in range(150)]), LIMIT).wealth >= 20
        for _ in range(40)
    ]
    assert sum(found) >= 36


def test_a_change_is_found_and_dated_after_a_long_good_time() -> None:
    found = evidence(judged([1.0] * 200 + [1.0, 0.0] * 40), LIMIT)
    assert found.wealth >= 20
    assert found.start == 200


def test_a_cusum_never_falls_below_nothing_and_rises_with_retries() -> None:
    quiet = Cusum().after(1000, 10, 0.1, 0.2)
    assert quiet == Cusum()
    assert Cusum().after(100, 30, 0.1, 0.2).score > 8


def test_a_cusum_finds_a_doubled_rate_and_leaves_an_old_one_alone() -> None:
    def highest(rate: float, seed: int) -> float:
        draws = random.Random(seed)  # noqa: S311 - a simulation
        score, most = Cusum(), 0.0
        for _ in range(60):
            k = sum(draws.random() < rate for _ in range(20))
            score = score.after(20, k, 0.1, 0.2)
            most = max(most, score.score)
        return cusum_p_value(most, 1200)

    assert sum(highest(0.1, seed) < 0.05 for seed in range(60)) <= 2
    assert all(highest(0.2, seed) < 0.05 for seed in range(20))


@given(st.dictionaries(st.integers(), st.floats(0, 1), max_size=12), st.integers(0, 30))
def test_what_is_believed_is_what_the_step_up_rule_says(
    p_values: dict[int, float], n_tests: int
) -> None:
    total = max(n_tests, len(p_values))
    sizes = [
        size
        for size in range(1, len(p_values) + 1)
        if sum(p <= 0.05 * size / total for p in p_values.values()) >= size
    ]
    found = discoveries(p_values, 0.05, n_tests)
    assert len(found) >= max(sizes, default=0)
    assert all(p_values[key] <= 0.05 * len(found) / total for key in found)


def test_quiet_series_raise_the_bar() -> None:
    assert discoveries({"a": 0.004}, 0.05, 10) == {"a"}
    assert discoveries({"a": 0.004}, 0.05, 100) == set()


def hours(counts: list[tuple[int, int, int]]) -> list[GuardHour]:
    return [GuardHour(place * HOUR_NS, *item) for place, item in enumerate(counts)]


def test_a_rule_that_runs_no_more_is_told_from_one_that_hits_no_more() -> None:
    alive = [(20, 20, 2)] * 48
    stopped = guard_silence(hours([*alive, *[(20, 0, 0)] * 6]), 0.001)
    quiet = guard_silence(hours([*alive, *[(20, 20, 0)] * 12]), 0.001)
    assert stopped is not None
    assert (stopped.kind, stopped.since_ns) == (SilenceKind.EVALUATIONS, 48 * HOUR_NS)
    assert quiet is not None
    assert (quiet.kind, quiet.n_silent, quiet.n_signs) == (SilenceKind.HITS, 240, 96)


@pytest.mark.parametrize(
    "counts",
    [
        [],
        [(20, 20, 0)] * 90,
        [(20, 20, 2)] * 48 + [(20, 0, 0)],
        [(20, 20, 2)] * 48 + [(0, 0, 0)] * 40,
        [(20, 20, 2 * (place % 20 == 0)) for place in range(90)],
        [(1, 1, 1), *[(1, 1, 0)] * 20],
    ],
    ids=["nothing", "never", "one hour", "no calls", "bursts", "one sign is no rate"],
)
def test_what_is_no_silence(counts: list[tuple[int, int, int]]) -> None:
    assert guard_silence(hours(counts), 0.001) is None


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 3)), max_size=60))
def test_the_watch_sees_what_the_whole_array_shows(counts: list[tuple[int, int, int]]) -> None:
    given_hours = [
        GuardHour(item.time_ns, max(item.n_calls, item.n_evaluations), *item_rest)
        for item in hours(counts)
        for item_rest in [(item.n_evaluations, min(item.n_hits, item.n_evaluations))]
        if item.n_calls or item.n_evaluations
    ]
    detector = GuardDetector(0.001)
    readings = [detector.step(item.time_ns // HOUR_NS, item) for item in given_hours]
    whole = guard_silence(given_hours, 0.001)
    last = readings[-1] if readings else None
    assert (whole is not None) == (last is not None and last.is_large)


def test_hours_in_which_something_always_came_are_silent_when_nothing_does() -> None:
    assert arrival_silence([[40, 44, 38, 41]] * 2) < 1e-8
    assert arrival_silence([[0, 1, 0, 2]] * 2) > 0.1
    assert arrival_silence([[40, 41, 42]]) == 1.0
    assert arrival_silence([]) == 1.0


@given(st.lists(st.sampled_from("ab"), max_size=30))
def test_runs_are_unbroken_and_as_long_as_can_be(values: list[str]) -> None:
    found = runs(values, "a", 3)
    for run in found:
        assert run.n >= 3
        assert set(values[run.first : run.last + 1]) == {"a"}
        assert values[run.first - 1 : run.first] != ["a"] or run.first == 0
        assert values[run.last + 1 : run.last + 2] != ["a"]
    assert ("aaa" in "".join(values)) == bool(found)


def test_three_in_a_row_are_a_run() -> None:
    assert runs(["a", "b", "a", "a", "a"], "a", 3) == [Run(2, 4)]
