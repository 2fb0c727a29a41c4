"""Two sides, every figure side by side, each with its interval and a test of the difference."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Final, NamedTuple

from metrics.comparison import MIN_CASES, Change, Comparison, Figure, change_of, cohens_h
from metrics.detect import discoveries
from metrics.intervals import Proportion, effective_n, proportion_interval
from metrics.side import NOTHING, Side, Signal, side_signals, side_values
from metrics.statements import Store
from metrics.value_differences import value_differences
from metrics.values import Unit

FALSE_DISCOVERY_RATE: Final = 0.05
_NORMAL: Final = NormalDist()
_RISES_ARE_GOOD: Final = frozenset({"selection_accuracy", "retry_success_rate"})


def compare(database: Store, left: Side, right: Side) -> tuple[Comparison, ...]:
    """Every figure of both sides, those that differ for certain first, by the size of the effect.

    Rates are tested by the score test on effective counts (calls of one trace resemble each other),
    P95s by how many right durations pass the left P95, steps by the mean of their logarithms, plans
    by the G-test over the first three tools. Benjamini-Hochberg at 5 % over all of them.

    Source: S3 §7.2; Cohen 1988 (effect sizes).
    """
    found = [
        *_rates(side_signals(database, left), side_signals(database, right)),
        *value_differences(side_values(database, left), side_values(database, right)),
    ]
    return tuple(_judged(found))


def _judged(found: list[Comparison]) -> list[Comparison]:
    tested = {item.key: item.p_value for item in found if item.p_value is not None}
    certain = discoveries(tested, FALSE_DISCOVERY_RATE)
    judged = [
        replace(item, change=Change.UNSURE)
        if item.key not in certain and item.p_value is not None
        else item
        for item in found
    ]
    judged.sort(key=lambda item: (item.key not in certain, -abs(item.effect), item.key))
    return judged


def _rates(left: Mapping[str, Signal], right: Mapping[str, Signal]) -> Iterable[Comparison]:
    for key in sorted(left.keys() | right.keys()):
        yield _rate(key, left.get(key, NOTHING), right.get(key, NOTHING))


def _rate(key: str, left: Signal, right: Signal) -> Comparison:
    """The rate over all, tested; and tool by tool where that tells more."""
    figures = _figure(left.whole), _figure(right.whole)
    tools = sorted(left.by_tool.keys() & right.by_tool.keys())
    tests = [_test(key, left.whole, right.whole, None)]
    tests += [_test(key, left.by_tool[name], right.by_tool[name], name) for name in tools]
    known = [test for test in tests if test is not None]
    if not known:
        return Comparison(key, Unit.RATE, *figures, None, 0.0, Change.NO_DATA)
    best = min(known, key=lambda test: test.p_value)
    p_value = min(1.0, len(known) * best.p_value)
    change = change_of(p_value, best.effect)
    return Comparison(key, Unit.RATE, *figures, p_value, best.effect, change, best.tool_name)


class _Test(NamedTuple):
    p_value: float
    effect: float
    tool_name: str | None


def _test(key: str, left: Proportion, right: Proportion, tool_name: str | None) -> _Test | None:
    p_value = _score_test(left, right)
    if p_value is None:
        return None
    sign = -1 if key in _RISES_ARE_GOOD else 1
    return _Test(p_value, sign * cohens_h(left.value or 0.0, right.value or 0.0), tool_name)


def _figure(share: Proportion) -> Figure:
    return Figure(share.value, share.n, proportion_interval(share))


def _score_test(left: Proportion, right: Proportion) -> float | None:
    """Two-sided p-value that both rates are one, on effective counts; None with too few cases."""
    counts = effective_n(left), effective_n(right)
    if min(left.n, right.n) < MIN_CASES or None in counts:
        return None
    n_left, n_right = (count or 0.0 for count in counts)
    one, other = left.value or 0.0, right.value or 0.0
    rate = (one * n_left + other * n_right) / (n_left + n_right)
    error = math.sqrt(max(0.0, rate * (1 - rate)) * (1 / n_left + 1 / n_right))
    return 1.0 if error == 0 else 2 * _NORMAL.cdf(-abs(other - one) / error)
