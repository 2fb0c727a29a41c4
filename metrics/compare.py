"""Two sides, every figure side by side, each with its interval and a test of the difference."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import NormalDist
from typing import Final, NamedTuple

from metrics.detect import discoveries, exceedance, mean_rise, quantile_of
from metrics.intervals import (
    MIN_N_P95,
    Proportion,
    effective_n,
    mean_interval,
    proportion_interval,
    quantile_ranks,
)
from metrics.side import NOTHING, Side, SideValues, Signal, side_signals, side_values
from metrics.statements import Store
from metrics.values import Interval, Unit

FALSE_DISCOVERY_RATE: Final = 0.05
_LOG_BASE: Final = 1.02
_NORMAL: Final = NormalDist()
_RISES_ARE_GOOD: Final = frozenset({"selection_accuracy", "retry_success_rate"})
_MIN_CASES: Final = 30
"""A figure with fewer cases on either side is shown and not tested."""
_RARE: Final = 10
"""Plans of fewer traces on both sides are counted together."""
_MOST_EFFECT: Final = 5.0


class Change(StrEnum):
    """What the difference between the sides is worth."""

    BETTER = "better"
    WORSE = "worse"
    OTHER = "other"
    """Changed, in no direction that is better: what the plans are."""
    UNSURE = "unsure"
    """The difference may be chance."""
    NO_DATA = "no_data"
    """One side has too few cases."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one side; None without cases."""

    value: float | None
    n: int
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure on both sides."""

    key: str
    """Key of a definition or of a signal (`metrics.layers`)."""
    unit: Unit
    left: Figure
    right: Figure
    p_value: float | None
    """Of such a difference by chance; None where it was not tested."""
    effect: float
    """Standardised: 0.2 is small, 0.5 middling, 0.8 large; positive is worse on the right."""
    change: Change
    tool_name: str | None = None
    """The tool that shows it more clearly than all together; None where none does."""

    @property
    def difference(self) -> float | None:
        """Right minus left, in the unit; None where a side has no value."""
        if self.left.value is None or self.right.value is None:
            return None
        return self.right.value - self.left.value


def compare(database: Store, left: Side, right: Side) -> tuple[Comparison, ...]:
    """Every figure of both sides, those that differ for certain first, by the size of the effect.

    Rates are tested by the score test on effective counts (calls of one trace resemble each other),
    P95s by how many right durations pass the left P95, steps by the mean of their logarithms, plans
    by the G-test over the first three tools. Benjamini-Hochberg at 5 % over all of them.

    Source: S3 §7.2; Cohen 1988 (effect sizes).
    """
    found = [
        *_rates(side_signals(database, left), side_signals(database, right)),
        *_values(side_values(database, left), side_values(database, right)),
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
    change = _change(p_value, best.effect)
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
    return _Test(p_value, sign * _cohens_h(left.value or 0.0, right.value or 0.0), tool_name)


def _figure(share: Proportion) -> Figure:
    return Figure(share.value, share.n, proportion_interval(share))


def _score_test(left: Proportion, right: Proportion) -> float | None:
    """Two-sided p-value that both rates are one, on effective counts; None with too few cases."""
    counts = effective_n(left), effective_n(right)
    if min(left.n, right.n) < _MIN_CASES or None in counts:
        return None
    n_left, n_right = (count or 0.0 for count in counts)
    one, other = left.value or 0.0, right.value or 0.0
    rate = (one * n_left + other * n_right) / (n_left + n_right)
    error = math.sqrt(max(0.0, rate * (1 - rate)) * (1 / n_left + 1 / n_right))
    return 1.0 if error == 0 else 2 * _NORMAL.cdf(-abs(other - one) / error)


def _cohens_h(one: float, other: float) -> float:
    def arc(rate: float) -> float:
        return 2 * math.asin(math.sqrt(min(1.0, max(0.0, rate))))

    return arc(other) - arc(one)


def _change(p_value: float | None, effect: float) -> Change:
    if p_value is None:
        return Change.NO_DATA
    return Change.WORSE if effect > 0 else Change.BETTER


def _values(left: SideValues, right: SideValues) -> Iterable[Comparison]:
    yield _p95("latency_p95_call", left.calls, right.calls)
    yield _p95("latency_p95_model", left.models, right.models)
    yield _steps(left.steps, right.steps)
    yield _plans(left.plans, right.plans)


def _p95(
    key: str, left: Mapping[str, dict[int, int]], right: Mapping[str, dict[int, int]]
) -> Comparison:
    """The P95 over all; tested tool by tool, so that more calls of a slow tool are no slowness."""
    figures = _quantile(_together(left)), _quantile(_together(right))
    tests = [
        found
        for name in left.keys() & right.keys()
        for found in (_shifted(left[name], right[name]),)
        if found is not None
    ]
    if not tests:
        return Comparison(key, Unit.MS, *figures, None, 0.0, Change.NO_DATA)
    p_value = min(1.0, len(tests) * min(p for p, _ in tests))
    effect = max((effect for p, effect in tests if p * len(tests) <= p_value), default=0.0)
    return Comparison(key, Unit.MS, *figures, p_value, effect, _change(p_value, effect))


def _shifted(left: Mapping[int, int], right: Mapping[int, int]) -> tuple[float, float] | None:
    """P-value and effect of the right durations passing the left P95, or the other way round."""
    if min(sum(left.values()), sum(right.values())) < MIN_N_P95:
        return None
    slower, faster = exceedance(right, left), exceedance(left, right)
    if slower is None or faster is None:
        return None
    is_slower = slower.p_value <= faster.p_value
    shown = slower if is_slower else faster
    effect = _cohens_h(0.05, shown.share)
    return min(1.0, 2 * shown.p_value), effect if is_slower else -effect


def _together(values: Mapping[str, Mapping[int, int]]) -> Counter[int]:
    total: Counter[int] = Counter()
    for counts in values.values():
        total.update(counts)
    return total


def _quantile(values: Counter[int]) -> Figure:
    n = values.total()
    ranks, bucket = quantile_ranks(n), quantile_of(values, 0.95)
    if bucket is None or ranks is None or n < MIN_N_P95:
        return Figure(None, n, None)
    bounds = [quantile_of(values, rank / n) for rank in ranks]
    low, high = (_ms(bucket if bound is None else bound) for bound in bounds)
    return Figure(_ms(bucket), n, Interval(low, high, 0.95, "order_statistic"))


def _ms(bucket: int) -> float:
    return float(_LOG_BASE ** (bucket + 0.5)) / 1000


def _steps(left: Mapping[int, int], right: Mapping[int, int]) -> Comparison:
    figures = _mean(left), _mean(right)
    key, unit = "steps_per_task", Unit.STEPS
    if min(figures[0].n, figures[1].n) < _MIN_CASES:
        return Comparison(key, unit, *figures, None, 0.0, Change.NO_DATA)
    p_value = 2 * min(mean_rise(right, left), mean_rise(left, right))
    one, other = figures[0].value or 0.0, figures[1].value or 0.0
    spread = math.sqrt((_variance(left) + _variance(right)) / 2)
    effect = _standardised(other - one, spread)
    return Comparison(key, unit, *figures, min(1.0, p_value), effect, _change(p_value, effect))


def _standardised(difference: float, spread: float) -> float:
    """Difference over spread, within the most that is told apart."""
    if abs(difference) >= _MOST_EFFECT * spread:
        return math.copysign(_MOST_EFFECT, difference) if difference else 0.0
    return difference / spread


def _mean(values: Mapping[int, int]) -> Figure:
    n = sum(values.values())
    if not n:
        return Figure(None, 0, None)
    total = sum(value * count for value, count in values.items())
    square = sum(value**2 * count for value, count in values.items())
    return Figure(total / n, n, mean_interval(total, square, n))


def _variance(values: Mapping[int, int]) -> float:
    n = sum(values.values())
    mean = sum(value * count for value, count in values.items()) / n
    return sum(count * (value - mean) ** 2 for value, count in values.items()) / max(1, n - 1)


def _plans(left: Mapping[str, int], right: Mapping[str, int]) -> Comparison:
    """How different the orders of tools are: 0 the same, 1 nothing in common."""
    n_left, n_right = sum(left.values()), sum(right.values())
    figures = Figure(None, n_left, None), Figure(None, n_right, None)
    if min(n_left, n_right) < _MIN_CASES:
        return Comparison("plan_shift", Unit.SCORE, *figures, None, 0.0, Change.NO_DATA)
    table = _kept(left, right)
    statistic, degrees = _g_test(table, n_left, n_right)
    effect = math.sqrt(max(0.0, statistic - degrees) / (n_left + n_right))
    p_value = _chi_square_tail(statistic, degrees)
    return Comparison("plan_shift", Unit.SCORE, *figures, p_value, effect, Change.OTHER)


def _kept(left: Mapping[str, int], right: Mapping[str, int]) -> list[tuple[int, int]]:
    """Counts of both sides by plan; rare plans together."""
    pairs = [(left.get(plan, 0), right.get(plan, 0)) for plan in left.keys() | right.keys()]
    common = [pair for pair in pairs if sum(pair) >= _RARE]
    rare = [pair for pair in pairs if sum(pair) < _RARE]
    return [*common, (sum(a for a, _ in rare), sum(b for _, b in rare))] if rare else common


def _g_test(table: list[tuple[int, int]], n_left: int, n_right: int) -> tuple[float, int]:
    n, statistic = n_left + n_right, 0.0
    for pair in table:
        for count, size in zip(pair, (n_left, n_right), strict=True):
            if count:
                statistic += 2 * count * math.log(count * n / (sum(pair) * size))
    return statistic, max(1, len(table) - 1)


def _chi_square_tail(statistic: float, degrees: int) -> float:
    """P(chi-square >= statistic), by the cube root that makes it nearly normal.

    Source: Wilson and Hilferty 1931.
    """
    spread = 2 / (9 * degrees)
    return _NORMAL.cdf((1 - spread - (statistic / degrees) ** (1 / 3)) / math.sqrt(spread))
