"""Rates that rise or fall, and how sure one may be."""

from collections.abc import Iterator
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.detect import (
    Counts,
    above_limit,
    dispersion,
    exceedance,
    mean_rise,
    quantile_of,
    rate_fall,
    rate_rise,
)


def outcomes(n: int, p: float) -> Iterator[tuple[int, float]]:
    for k in range(n + 1):
        yield k, comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize("p", [0.02, 0.1, 0.3, 0.6])
@pytest.mark.parametrize(("n", "n_before"), [(30, 60), (50, 25), (20, 200)])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_an_unchanged_rate_is_called_risen_no_more_often_than_said(
    p: float, n: int, n_before: int, level: float
) -> None:
    wrong = sum(
        mass * before_mass
        for k, mass in outcomes(n, p)
        for before, before_mass in outcomes(n_before, p)
        if rate_rise(Counts(n, k), Counts(n_before, before)) <= level
    )
    assert wrong <= level


def test_more_hits_are_never_less_of_a_rise() -> None:
    p_values = [rate_rise(Counts(80, k), Counts(400, 40)) for k in range(81)]
    assert p_values == sorted(p_values, reverse=True)


def test_a_fall_is_a_rise_of_the_others() -> None:
    fall = rate_fall(Counts(50, 10), Counts(300, 150))
    assert fall == rate_rise(Counts(50, 40), Counts(300, 150))
    assert fall < 1e-4


def test_nothing_to_compare_says_nothing() -> None:
    assert rate_rise(Counts(0, 0), Counts(9, 1)) == rate_rise(Counts(9, 9), Counts(0, 0)) == 1.0
    assert above_limit(Counts(0, 0), 0.5) == 1.0


def test_scatter_makes_the_same_counts_worth_less() -> None:
    now, before = Counts(100, 30), Counts(800, 80)
    assert rate_rise(now, before) < rate_rise(now, before, scatter=3) < 0.2


def test_a_limit_is_passed_only_with_evidence() -> None:
    assert above_limit(Counts(20, 4), 0.15) > 0.2
    assert above_limit(Counts(400, 80), 0.15) < 0.01


def test_slots_of_one_rate_scatter_as_draws_do() -> None:
    assert dispersion([Counts(10, 1)] * 50) == 1.0
    assert dispersion([Counts(10, 0), Counts(10, 10)] * 50) > 5
    assert dispersion([Counts(10, 3)]) == 1.0


def test_the_exceedance_law_is_that_of_all_interleavings() -> None:
    # 6 old and 4 new values in every order: how often do k or more new ones pass the 5th old one?
    old, new = 6, 4
    counts = [0] * (new + 1)
    for places in combinations(range(old + new), old):
        threshold = places[4]
        counts[sum(place > threshold for place in range(old + new) if place not in places)] += 1
    total = sum(counts)
    for k in range(new + 1):
        before = {2 * value: 1 for value in range(old)}
        now = {9 + place: 1 for place in range(k)} | {-1 - place: 1 for place in range(new - k)}
        found = exceedance(now, before, q=5 / 6)
        assert found is not None
        assert found.k == k
        assert found.p_value == pytest.approx(sum(counts[k:]) / total)


def test_values_that_tie_with_the_threshold_do_not_exceed_it() -> None:
    found = exceedance({7: 50}, {7: 100}, q=0.95)
    assert found is not None
    assert (found.k, found.threshold, found.p_value) == (0, 7, 1.0)


def test_without_values_there_is_no_exceedance() -> None:
    assert exceedance({}, {1: 3}) is None
    assert exceedance({1: 3}, {}) is None
    assert quantile_of({}, 0.5) is None


@given(st.dictionaries(st.integers(0, 40), st.integers(1, 9), min_size=1), st.floats(0.01, 1))
def test_a_quantile_leaves_its_share_at_or_below(values: dict[int, int], q: float) -> None:
    found = quantile_of(values, q)
    n = sum(values.values())
    assert found in values
    assert sum(count for value, count in values.items() if value <= found) >= q * n - 1e-9
    assert sum(count for value, count in values.items() if value < found) < q * n


def test_a_mean_that_rose_is_seen_and_one_that_did_not_is_not() -> None:
    before = {1: 300, 2: 80, 3: 20}
    assert mean_rise({1: 20, 2: 20, 3: 15, 6: 5}, before) < 1e-4
    assert mean_rise({1: 45, 2: 12, 3: 3}, before) == pytest.approx(0.5, abs=0.05)
    assert mean_rise({1: 60}, before) > 0.99


def test_one_value_is_no_mean() -> None:
    assert mean_rise({9: 1}, {1: 50}) == 1.0
    assert mean_rise({2: 50}, {1: 50}) == 0.0
