"""Paired comparison: exact p values against published tables, power against simulation."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.paired import (
    Paired,
    clustered_share,
    mcnemar_exact,
    mcnemar_power,
    n_to_see,
)

PUBLISHED = {
    # Agresti, Categorical Data Analysis (2013), table 11.1: 86 against 150 of 1 600.
    (86, 150): 0.0000368,
    # Conover (1999): 4 against 21.
    (4, 21): 0.000911,
    (1, 9): 0.0214844,
    (5, 5): 1.0,
    (0, 5): 0.0625,
    (0, 6): 0.03125,
}


@pytest.mark.parametrize("pair", PUBLISHED)
def test_the_exact_p_value_is_the_published_one(pair: tuple[int, int]) -> None:
    assert mcnemar_exact(*pair) == pytest.approx(PUBLISHED[pair], rel=2e-2)
    assert mcnemar_exact(*pair[::-1]) == mcnemar_exact(*pair)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_p_value_is_twice_the_smaller_tail(n_broken: int, n_fixed: int) -> None:
    p = mcnemar_exact(n_broken, n_fixed)
    n = n_broken + n_fixed
    if n == 0:
        assert p is None
        return
    tail = sum(float(stats.binom.pmf(k, n, 0.5)) for k in range(min(n_broken, n_fixed) + 1))
    assert p == pytest.approx(min(1.0, 2 * tail))


def test_shares_before_and_after_and_what_no_case_gives() -> None:
    found = Paired(n_broken=6, n_fixed=1, n_same_right=80, n_same_wrong=13)
    assert (found.n, found.before, found.after) == (100, 0.86, 0.81)
    assert found.p_value == pytest.approx(0.125)
    assert not found.is_significant
    assert found.power == mcnemar_power(100, 0.10, 0.01)
    assert Paired(9, 0, 1, 0).is_significant
    nothing = Paired(0, 0, 0, 0)
    assert (nothing.n, nothing.before, nothing.after, nothing.p_value) == (0, None, None, None)
    assert nothing.power is None
    assert Paired(0, 0, 5, 0).p_value is None


def test_power_is_what_simulation_finds() -> None:
    draws = random.Random(7)  # noqa: S311
    n, broken, fixed, runs = 120, 0.12, 0.03, 2_000
    hits = 0
    for _ in range(runs):
        rolls = [draws.random() for _ in range(n)]
        b = sum(roll < broken for roll in rolls)
        f = sum(broken <= roll < broken + fixed for roll in rolls)
        p = mcnemar_exact(b, f)
        hits += p is not None and p < 0.05
    assert mcnemar_power(n, broken, fixed) == pytest.approx(hits / runs, abs=0.03)


def test_the_number_of_cases_is_the_first_with_the_power_asked_for() -> None:
    n = n_to_see(0.10, 0.01)
    assert n is not None
    assert mcnemar_power(n, 0.10, 0.01) >= 0.8 > mcnemar_power(n - 2, 0.10, 0.01)
    assert n_to_see(0.05, 0.05) is None
    assert mcnemar_power(50, 0.0, 0.0) == 0.0
    with pytest.raises(ValueError, match="shares of one whole"):
        mcnemar_power(50, 0.8, 0.3)


def test_a_share_over_cases_allows_for_looks_at_one_case_being_alike() -> None:
    alike = clustered_share([[(1, 1)] * 20] * 12 + [[(0, 1)] * 20] * 8)
    mixed = clustered_share([[(1, 1)] * 12 + [(0, 1)] * 8] * 20)
    assert alike.value == mixed.value == 0.6
    assert alike.interval is not None
    assert mixed.interval is not None
    assert alike.interval.high - alike.interval.low > 2 * (mixed.interval.high - mixed.interval.low)


def test_cases_that_were_not_looked_at_do_not_count() -> None:
    nothing = clustered_share([[], [(0, 0)]])
    assert (nothing.value, nothing.n_cases, nothing.interval) == (None, 0, None)
    one = clustered_share([[(3, 4)], []])
    assert (one.value, one.n_cases, one.interval) == (0.75, 1, None)


@pytest.mark.parametrize(
    ("both", "only_before", "only_after", "neither", "low", "high"),
    [
        # Newcombe 1998, table III, method 10; the difference is that of `after` minus `before`.
        (36, 2, 12, 0, 0.0569, 0.3404),
        (36, 12, 2, 0, -0.3404, -0.0569),
        (54, 0, 0, 0, -0.0664, 0.0664),
    ],
)
def test_the_interval_of_a_change_is_the_published_one(
    both: int, only_before: int, only_after: int, neither: int, low: float, high: float
) -> None:
    found = Paired(
        n_broken=only_before, n_fixed=only_after, n_same_right=both, n_same_wrong=neither
    ).difference

    assert found is not None
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_an_interval_of_a_change_holds_the_change(counts: list[int]) -> None:
    found = Paired(*counts)
    if not found.n:
        assert found.difference is found.before_interval is found.after_interval is None
        return
    assert found.difference is not None
    assert found.before is not None
    assert found.after is not None
    change = found.after - found.before
    assert found.difference.low - 1e-12 <= change <= found.difference.high + 1e-12
