"""Durations, steps and plans of two sides, compared."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import Final

from metrics.comparison import MIN_CASES, Change, Comparison, Figure, change_of, cohens_h
from metrics.detect import exceedance, mean_rise, quantile_of
from metrics.intervals import MIN_N_P95, mean_interval, quantile_ranks
from metrics.side import SideValues
from metrics.values import Interval, Unit

_LOG_BASE: Final = 1.02
_NORMAL: Final = NormalDist()
_RARE: Final = 10
"""Plans of fewer traces on both sides are counted together."""
_MOST_EFFECT: Final = 5.0


def value_differences(left: SideValues, right: SideValues) -> Iterable[Comparison]:
    """P95 of calls and of model calls, steps a task, and the order of tools; in this order."""
    yield _p95("latency_p95_call", left.calls, right.calls)
    yield _p95("latency_p95_model", *_models(left.models, right.models))
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
    best, effect = min(tests)
    p_value = min(1.0, len(tests) * best)
    return Comparison(key, Unit.MS, *figures, p_value, effect, change_of(p_value, effect))


def _models(
    left: dict[str, dict[int, int]], right: dict[str, dict[int, int]]
) -> tuple[Mapping[str, dict[int, int]], Mapping[str, dict[int, int]]]:
    """Model by model; sides without a model in common set one model against another: as wholes."""
    if left.keys() & right.keys():
        return left, right
    return {"": _together(left)}, {"": _together(right)}


def _shifted(left: Mapping[int, int], right: Mapping[int, int]) -> tuple[float, float] | None:
    """P-value and effect of the right durations passing the left P95, or the other way round."""
    if min(sum(left.values()), sum(right.values())) < MIN_N_P95:
        return None
    slower, faster = exceedance(right, left), exceedance(left, right)
    if slower is None or faster is None:
        return None
    is_slower = slower.p_value <= faster.p_value
    shown, before = (slower, left) if is_slower else (faster, right)
    effect = cohens_h(_share_above(before, shown.threshold), shown.share)
    return min(1.0, 2 * shown.p_value), effect if is_slower else -effect


def _share_above(values: Mapping[int, int], threshold: int) -> float:
    """A twentieth for a P95, less where many values are the same, such as a time limit."""
    return sum(n for value, n in values.items() if value > threshold) / sum(values.values())


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
    if min(figures[0].n, figures[1].n) < MIN_CASES:
        return Comparison(key, unit, *figures, None, 0.0, Change.NO_DATA)
    p_value = 2 * min(mean_rise(right, left), mean_rise(left, right))
    one, other = figures[0].value or 0.0, figures[1].value or 0.0
    spread = math.sqrt((_variance(left) + _variance(right)) / 2)
    effect = _standardised(other - one, spread)
    return Comparison(key, unit, *figures, min(1.0, p_value), effect, change_of(p_value, effect))


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
    if min(n_left, n_right) < MIN_CASES:
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
