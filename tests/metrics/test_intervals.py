"""Intervals against published values, scipy's own distributions and their laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.intervals import (
    Proportion,
    Ranks,
    clopper_pearson,
    design_effect,
    effective_n,
    mean_interval,
    n_to_settle,
    proportion_interval,
    quantile_ranks,
    wilson,
)


def independent(n_ok: int, n: int) -> Proportion:
    """N observations, each a trace of its own."""
    return Proportion(n_ok, n, n, n, n_ok, n_ok, n)


def clustered(traces: list[tuple[int, int]]) -> Proportion:
    """Traces as (numerator, denominator)."""
    return Proportion(
        numerator=sum(y for y, _ in traces),
        denominator=sum(m for _, m in traces),
        n=sum(m for _, m in traces),
        n_clusters=len(traces),
        yy=sum(y * y for y, _ in traces),
        ym=sum(y * m for y, m in traces),
        mm=sum(m * m for _, m in traces),
    )


@pytest.mark.parametrize(
    ("n_ok", "n", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(n_ok: int, n: int, low: float, high: float) -> None:
    interval = wilson(n_ok / n, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("n_ok", "n", "low", "high"),
    [
        # Newcombe 1998, table I, method 5 (Clopper-Pearson).
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0000, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_the_exact_interval_gives_the_published_ones(
    n_ok: int, n: int, low: float, high: float
) -> None:
    interval = clopper_pearson(n_ok / n, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@given(n=st.integers(1, 400), share=st.floats(0, 1))
def test_both_intervals_agree_with_scipy(n: int, share: float) -> None:
    n_ok = round(share * n)
    test = stats.binomtest(n_ok, n)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = test.proportion_ci(0.95, method=method)  # type: ignore[arg-type]
        interval = ours(n_ok / n, n)
        assert interval.low == pytest.approx(theirs.low, abs=1e-9)
        assert interval.high == pytest.approx(theirs.high, abs=1e-9)


@given(
    st.lists(
        st.integers(1, 8).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))),
        min_size=2,
        max_size=60,
    )
)
def test_an_interval_stays_in_the_unit_range_and_holds_its_estimate(
    traces: list[tuple[int, int]],
) -> None:
    share = clustered(traces)
    interval = proportion_interval(share)
    assert interval is not None
    assert share.value is not None
    assert 0 <= interval.low <= share.value <= interval.high <= 1


def test_observations_of_one_trace_have_no_interval() -> None:
    assert proportion_interval(clustered([(7, 9)])) is None
    assert effective_n(clustered([(7, 9)])) is None


def test_nothing_has_neither_value_nor_interval() -> None:
    share = Proportion.from_row(None)
    assert share.value is None
    assert proportion_interval(share) is None


def test_independent_observations_lose_only_the_t_adjustment() -> None:
    n_eff = effective_n(independent(87, 100))
    expected = 100 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 99)) ** 2
    # One cluster more or less: the between-trace variance has n - 1 in its denominator.
    assert n_eff == pytest.approx(expected, rel=0.011)


def test_traces_that_agree_within_count_as_one_observation_each() -> None:
    together = clustered([(5, 5)] * 30 + [(0, 5)] * 10)
    apart = independent(30, 40)
    assert effective_n(together) == pytest.approx(effective_n(apart), rel=1e-9)


def test_a_design_effect_is_what_alike_decisions_cost() -> None:
    alike = clustered([(4, 4)] * 15 + [(0, 4)] * 5)
    effect = design_effect(alike)
    assert effect is not None
    assert effect == pytest.approx(4 * 20 / 19)
    adjustment = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 19)) ** 2
    assert effective_n(alike) == pytest.approx(alike.n / effect * adjustment)

    spread = clustered([(3, 4)] * 20)
    assert design_effect(spread) == 1
    assert design_effect(independent(3, 5)) == pytest.approx(5 / 4)
    for silent in (independent(5, 5), independent(0, 5), clustered([(1, 2)]), clustered([])):
        assert design_effect(silent) is None


def test_all_right_is_worth_no_more_than_its_traces() -> None:
    n_eff = effective_n(clustered([(6, 6)] * 50))
    assert n_eff is not None
    assert n_eff < 50


def test_equal_weights_change_nothing() -> None:
    plain = clustered([(3, 4), (1, 2), (2, 2), (4, 5), (0, 1)] * 8)
    heavy = Proportion(
        plain.numerator * 20,
        plain.denominator * 20,
        plain.n,
        plain.n_clusters,
        plain.yy * 400,
        plain.ym * 400,
        plain.mm * 400,
    )
    assert effective_n(heavy) == pytest.approx(effective_n(plain))


@pytest.mark.parametrize(("n_ok", "n"), [(42, 50), (44, 50), (90, 100)])
def test_the_number_that_would_settle_puts_the_limit_outside(n_ok: int, n: int) -> None:
    share = independent(n_ok, n)
    more, n_eff = n_to_settle(share, 0.85), effective_n(share)
    assert more is not None
    assert n_eff is not None
    now, then = wilson(n_ok / n, n_eff), wilson(n_ok / n, n_eff * (n + more) / n)
    assert now.low < 0.85 < now.high
    assert not then.low < 0.85 < then.high


def test_a_value_at_the_limit_is_never_settled() -> None:
    assert n_to_settle(independent(17, 20), 0.85) is None


@pytest.mark.parametrize(
    ("n", "ranks"),
    [
        (0, None),
        (1, None),
        (71, None),
        (72, Ranks(64, 72)),
        (200, Ranks(184, 197)),
        (1000, Ranks(936, 964)),
    ],
)
def test_a_p95_needs_72_and_has_the_tabulated_ranks(n: int, ranks: Ranks | None) -> None:
    assert quantile_ranks(n) == ranks


@given(n=st.integers(72, 3000))
def test_the_ranks_enclose_the_quantile_with_95_percent(n: int) -> None:
    found = quantile_ranks(n)
    assert found is not None
    low, high = found
    assert 1 <= low < high <= n
    below = stats.binom.cdf(low - 1, n, 0.95)
    above = 1 - stats.binom.cdf(high - 1, n, 0.95)
    assert below <= 0.0500001
    assert above <= 0.0250001
    assert low == stats.binom.ppf(0.025, n, 0.95)
    assert high == stats.binom.ppf(0.975, n, 0.95) + 1


def test_a_mean_has_the_interval_that_scipy_gives() -> None:
    values = [3, 4, 4, 5, 9, 2, 6]
    interval = mean_interval(sum(values), sum(v * v for v in values), len(values))
    mean = sum(values) / len(values)
    low, high = stats.t.interval(0.95, len(values) - 1, mean, stats.sem(values))
    assert interval is not None
    assert interval.low == pytest.approx(low)
    assert interval.high == pytest.approx(high)


def test_one_value_has_no_interval() -> None:
    assert mean_interval(5, 25, 1) is None


def test_equal_values_have_an_interval_of_no_width() -> None:
    interval = mean_interval(30, 90, 10)
    assert interval is not None
    assert math.isclose(interval.low, interval.high)
