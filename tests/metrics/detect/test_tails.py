"""Tails of counts against exact sums of fractions."""

from fractions import Fraction
from math import comb, exp, gamma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.detect import beta_binomial_tail, binomial_tail, zero_probability

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n + 1), st.just(n)))


def exact_binomial(k: int, n: int, p: Fraction) -> Fraction:
    return sum((comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(k, n + 1)), start=Fraction(0))


def rising(start: int, steps: int) -> int:
    product = 1
    for step in range(steps):
        product *= start + step
    return product


def exact_beta_binomial(k: int, n: int, a: int, b: int) -> Fraction:
    return sum(
        (
            Fraction(comb(n, x) * rising(a, x) * rising(b, n - x), rising(a + b, n))
            for x in range(k, n + 1)
        ),
        start=Fraction(0),
    )


@given(COUNTS, st.integers(1, 99))
def test_a_binomial_tail_is_the_exact_sum(counts: tuple[int, int], percent: int) -> None:
    k, n = counts
    exact = exact_binomial(k, n, Fraction(percent, 100))
    assert binomial_tail(k, n, percent / 100) == pytest.approx(float(exact), rel=1e-9, abs=1e-13)


@given(COUNTS, st.integers(1, 40), st.integers(1, 40))
def test_a_beta_binomial_tail_is_the_exact_sum(counts: tuple[int, int], a: int, b: int) -> None:
    k, n = counts
    exact = exact_beta_binomial(k, n, a, b)
    assert beta_binomial_tail(k, n, a, b) == pytest.approx(float(exact), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("k", "n", "p", "tail"), [(0, 5, 0.3, 1), (6, 5, 0.3, 0), (2, 5, 0, 0)])
def test_the_ends_of_a_tail(k: int, n: int, p: float, tail: float) -> None:
    assert binomial_tail(k, n, p) == tail


def test_far_out_a_tail_is_small_and_not_zero() -> None:
    assert 0 < binomial_tail(300, 1000, 0.05) < 1e-100
    assert 0 < beta_binomial_tail(400, 1000, 50, 950) < 1e-30


@given(st.floats(0.1, 50), st.floats(0.01, 5))
def test_bursts_make_zero_more_probable(mean: float, burstiness: float) -> None:
    assert zero_probability(mean, burstiness) > zero_probability(mean, 0)


def test_zero_of_a_negative_binomial_is_its_first_mass() -> None:
    # k = 2, mean 61: the literature's P(0) of about .001
    k, mean = 2.0, 61.0
    mass = gamma(k) / gamma(k) * (k / (k + mean)) ** k
    assert zero_probability(mean, 1 / k) == pytest.approx(mass)
    assert zero_probability(4.6, 0) == pytest.approx(exp(-4.6))
