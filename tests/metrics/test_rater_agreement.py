"""Agreement against published examples, independent implementations and laws."""

import itertools
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.rater_agreement import (
    alpha_interval,
    cohen_kappa,
    counts,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)

_: None = None
KRIPPENDORFF_2004: list[list[int | None]] = [
    # Four observers, twelve units: Krippendorff 2011, "Computing Krippendorff's Alpha", C.
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]


def units_of(raters: Sequence[Sequence[int | None]]) -> list[list[Hashable]]:
    return [[given for given in unit if given is not None] for unit in zip(*raters, strict=True)]


def two_raters(both_yes: int, only_one: int, only_other: int, both_no: int) -> list[list[int]]:
    return [[1, 1]] * both_yes + [[1, 0]] * only_one + [[0, 1]] * only_other + [[0, 0]] * both_no


def test_alpha_is_that_of_its_inventor() -> None:
    found = counts(units_of(KRIPPENDORFF_2004), range(1, 6))

    assert krippendorff_alpha(found) == pytest.approx(0.743421, abs=5e-7)


def test_several_raters_and_gaps_are_those_of_irrcac() -> None:
    # irrCAC 0.4.4: CAC(table).gwet()["est"]["coefficient_value"] and .krippendorff().
    found = counts(units_of(KRIPPENDORFF_2004), range(1, 6))

    assert gwet_ac1(found) == pytest.approx(0.77544, abs=1e-5)
    assert raw_agreement(found) == pytest.approx(0.81818, abs=1e-5)


@pytest.mark.parametrize(
    ("table", "kappa", "alpha", "ac1"),
    [
        ((85, 5, 5, 5), 0.44, 0.45, 0.88),  # 90 % agree, 90 % of one kind: the prevalence trap
        ((45, 5, 5, 45), 0.80, 0.80, 0.80),
        ((50, 0, 0, 50), 1.0, 1.0, 1.0),
    ],
)
def test_high_prevalence_pulls_kappa_and_alpha_down_and_not_ac1(
    table: tuple[int, int, int, int], kappa: float, alpha: float, ac1: float
) -> None:
    units = two_raters(*table)
    found = counts(units, (0, 1))

    assert cohen_kappa(*zip(*units, strict=True)) == pytest.approx(kappa, abs=0.006)
    assert krippendorff_alpha(found) == pytest.approx(alpha, abs=0.006)
    assert gwet_ac1(found) == pytest.approx(ac1, abs=0.006)


def test_kappa_is_cohens_textbook_example() -> None:
    # Agresti 2013, table 11.8 as statsmodels' cohens_kappa computes it: .4930.
    table = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
    pairs = [
        (row, column)
        for row, column in itertools.product(range(4), repeat=2)
        for _ in range(table[row][column])
    ]

    assert cohen_kappa(*zip(*pairs, strict=True)) == pytest.approx(0.4930, abs=5e-5)


def test_without_pairs_or_without_variety_nothing_is_claimed() -> None:
    alone, same = counts([[1], [0]], (0, 1)), counts([[1, 1]] * 9, (0, 1))

    assert raw_agreement(alone) is krippendorff_alpha(alone) is gwet_ac1(alone) is None
    assert (raw_agreement(same), gwet_ac1(same)) == (1.0, 1.0)
    assert krippendorff_alpha(same) is None
    assert alpha_interval(same) is None
    assert cohen_kappa([1], [1]) is None
    assert cohen_kappa([], []) is None


_UNITS = st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=2, max_size=25)


@given(_UNITS, st.permutations(range(3)))
def test_names_of_categories_and_order_of_units_do_not_matter(
    units: list[list[int]], names: list[int]
) -> None:
    renamed = [[names[given] for given in unit] for unit in reversed(units)]
    for measure in (krippendorff_alpha, gwet_ac1, raw_agreement):
        before, after = measure(counts(units, range(3))), measure(counts(renamed, range(3)))
        assert (before is None) == (after is None)
        assert before is None or before == pytest.approx(after)


@given(_UNITS)
def test_alpha_is_one_minus_observed_over_expected_disagreement(units: list[list[int]]) -> None:
    # Straight from the definition: pairs inside units against pairs of all judgements.
    paired = [unit for unit in units if len(unit) >= 2]
    judgements = [given for unit in paired for given in unit]
    n = len(judgements)
    observed = sum(
        sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    expected = sum(a != b for a, b in itertools.permutations(judgements, 2))
    alpha = krippendorff_alpha(counts(units, range(3)))

    if not expected:
        assert alpha is None
    else:
        assert alpha == pytest.approx(1 - (n - 1) * observed / expected)


def test_an_interval_holds_alpha_and_narrows_with_the_number_of_units() -> None:
    widths = []
    for times in (1, 4):
        found = counts(two_raters(85 * times, 5 * times, 5 * times, 5 * times), (0, 1))
        alpha, interval = krippendorff_alpha(found), alpha_interval(found)
        assert alpha is not None
        assert interval is not None
        assert interval.low < alpha < interval.high
        widths.append(interval.high - interval.low)

    assert widths[1] == pytest.approx(widths[0] / 2, rel=0.2)
    assert np.isfinite(widths).all()
