"""PPI++ against its authors' package, and what weights and traces change."""

import itertools

import pytest

from metrics.powered import Judged, Verdicts, powered_mean


def people(
    both: int, only_people: int, only_judge: int, neither: int, weight: float = 1.0
) -> list[Judged]:
    kinds = [(True, True, both), (True, False, only_people)]
    kinds += [(False, True, only_judge), (False, False, neither)]
    names = itertools.count()
    return [
        Judged(is_right, is_judged_right, weight, str(next(names)))
        for is_right, is_judged_right, n in kinds
        for _ in range(n)
    ]


def alone(n_right: int, n: int) -> list[Verdicts]:
    return [Verdicts(1, 1)] * n_right + [Verdicts(0, 1)] * (n - n_right)


@pytest.mark.parametrize(
    ("table", "n_right", "n", "value", "low", "high"),
    [
        ((80, 5, 3, 12), 800, 1000, 0.8337396339, 0.7814368295, 0.8860424384),
        ((150, 8, 10, 32), 4200, 5000, 0.8235016383, 0.7832752122, 0.8637280643),
        ((70, 20, 10, 10), 600, 900, 0.8080471038, 0.7378142697, 0.8782799379),
        ((60, 0, 0, 40), 0, 50, 0.4013333333, 0.3371078038, 0.4655588629),
    ],
)
def test_estimate_and_interval_are_those_of_ppi_python(
    table: tuple[int, int, int, int], n_right: int, n: int, value: float, low: float, high: float
) -> None:
    # ppi-python 0.2.3: ppi_mean_pointestimate and ppi_mean_ci(..., alpha=0.05).
    found = powered_mean(people(*table), alone(n_right, n))

    assert found is not None
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.interval.low == pytest.approx(low, abs=1e-9)
    assert found.interval.high == pytest.approx(high, abs=1e-9)


def test_a_judge_without_news_leaves_the_mean_of_people() -> None:
    always_right = powered_mean(people(80, 0, 20, 0), alone(500, 500))
    unasked = powered_mean(people(70, 10, 5, 15), [])

    for found in (always_right, unasked):
        assert found is not None
        assert found.value == pytest.approx(0.8)
        assert found.judge_weight == 0.0
    assert always_right is not None
    assert always_right.correlation is None


def test_the_same_weight_for_all_changes_nothing_and_one_trace_is_no_sample() -> None:
    once = powered_mean(people(70, 10, 5, 15), alone(300, 400))
    tenfold = powered_mean(people(70, 10, 5, 15, weight=10.0), alone(300, 400))

    assert once is not None
    assert tenfold is not None
    assert tenfold.value == pytest.approx(once.value)
    assert tenfold.interval.low == pytest.approx(once.interval.low)
    assert powered_mean([Judged(True, True, 1.0, "one")] * 100, alone(1, 2)) is None


def test_decisions_of_one_trace_widen_the_interval() -> None:
    apart = people(70, 10, 5, 15)
    together = [
        Judged(item.is_right, item.is_judged_right, 1.0, str(at // 5))
        for at, item in enumerate(apart)
    ]
    narrow, wide = powered_mean(apart, alone(300, 400)), powered_mean(together, alone(300, 400))

    assert narrow is not None
    assert wide is not None
    assert wide.value == narrow.value
    assert wide.interval.high - wide.interval.low > narrow.interval.high - narrow.interval.low
