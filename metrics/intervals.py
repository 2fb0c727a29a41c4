"""Intervals: proportions of clustered, weighted draws; means; quantiles by order statistics.

Decisions, calls and evaluations of one trace resemble each other, so an interval that takes them
for independent is too narrow: at an intraclass correlation of .4 a nominal 95 % covers 72 %. Here
the number of observations is first reduced to the number of independent ones they are worth.
"""

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

from metrics.statements import Row
from metrics.values import Interval

LEVEL: Final = 0.95
_TAIL: Final = (1 - LEVEL) / 2
_Z: Final = 1.959963984540054
"""The 97.5th percentile of the normal distribution."""
_SMALL_N: Final = 40.0
_EXTREME: Final = 0.97
_ROUNDING: Final = 1e-9

MIN_N_P95: Final = 72
"""The smallest n with a finite two-sided 95 % interval of the 95th percentile: .95^n <= .025."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """A ratio of two sums, with the moments over traces that its variance needs."""

    numerator: float
    denominator: float
    n: int
    """Observations, whatever their weight."""
    n_clusters: int
    """Traces that hold them."""
    yy: float
    """Sum over traces of numerator squared; `ym` and `mm` likewise."""
    ym: float
    mm: float

    @classmethod
    def from_row(cls, row: Row | None, prefix: str = "") -> "Proportion":
        """Read from the columns `<prefix>numerator`, ...; all zero without a row."""
        if row is None:
            return cls(0, 0, 0, 0, 0, 0, 0)
        return cls(
            numerator=_number(row[f"{prefix}numerator"]),
            denominator=_number(row[f"{prefix}denominator"]),
            n=int(row[f"{prefix}n"]),
            n_clusters=int(row[f"{prefix}n_clusters"]),
            yy=float(row[f"{prefix}yy"]),
            ym=float(row[f"{prefix}ym"]),
            mm=float(row[f"{prefix}mm"]),
        )

    @property
    def value(self) -> float | None:
        """Numerator over denominator; None without cases."""
        return self.numerator / self.denominator if self.denominator > 0 else None

    @property
    def n_equal_clusters(self) -> float:
        """How many traces of equal weight they are worth: at least two, at most all.

        Source: Kish 1965, §8.2; a few long traces carry an estimate that many short ones do not.
        """
        worth = self.denominator**2 / self.mm if self.mm > 0 else self.n_clusters
        return min(float(self.n_clusters), max(2.0, worth))


def design_effect(share: Proportion) -> float | None:
    """How many times as many observations a draw takes as independent ones would: at least 1.

    The variance between traces over the binomial one. None for fewer than two traces, and where all
    or none are in the numerator: the data then say nothing about it.

    Source: Kish 1965, §8.2.
    """
    value = share.value
    if value is None or share.n_clusters < 2:
        return None
    spread = value * (1 - value)
    if spread < _ROUNDING:
        return None
    return max(1.0, _variance(share, value) * share.n / spread)


def effective_n(share: Proportion) -> float | None:
    """How many independent observations the draw is worth; None for fewer than two traces.

    n / max(1, deff) * (z / t)^2, where deff is the variance between traces over the binomial one
    and t has as many degrees of freedom as there are traces of equal weight, less one. When all or
    none are in the numerator the data say nothing about deff; each trace then counts as one
    observation, the worst case.

    Source: Korn and Graubard 1998; N. Dean and Pagano 2015 (clustered surveys). Coverage:
    `tests/bench/interval_coverage.py`.
    """
    value = share.value
    if value is None or share.n_clusters < 2:
        return None
    adjustment = (_Z / _student(share.n_equal_clusters - 1)) ** 2
    effect = design_effect(share)
    return (share.n_equal_clusters if effect is None else share.n / effect) * adjustment


def proportion_interval(share: Proportion) -> Interval | None:
    """95 % interval of a proportion on its effective n; None for fewer than two traces.

    Wilson; Korn-Graubard (Clopper-Pearson on the effective n) where that is small or the value is
    near an end.
    """
    value, n = share.value, effective_n(share)
    if value is None or n is None:
        return None
    value = min(1.0, max(0.0, value))
    if n < _SMALL_N or value > _EXTREME or value < 1 - _EXTREME:
        return clopper_pearson(value, n)
    return wilson(value, n)


def wilson(value: float, n: float) -> Interval:
    """Wilson's 95 % score interval of a proportion; `n` need not be whole."""
    centre = (value + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(value * (1 - value) / n + _Z**2 / (4 * n**2))
    low, high = max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))
    return Interval(low, high, LEVEL, "wilson")


def clopper_pearson(value: float, n: float) -> Interval:
    """The exact 95 % interval of a proportion, continued to an `n` that is not whole."""
    from scipy import special

    x = value * n
    low = float(special.betaincinv(x, n - x + 1, _TAIL)) if x > 0 else 0.0
    high = float(special.betaincinv(x + 1, n - x, 1 - _TAIL)) if n - x > _ROUNDING * n else 1.0
    return Interval(min(value, low), max(value, high), LEVEL, "korn_graubard")


def n_to_settle(share: Proportion, limit: float) -> int | None:
    """About how many more observations would put `limit` outside the interval, at the same value.

    None when no number would (the value is the limit) or the draw gives no interval. From the
    score test: n_eff >= z^2 limit (1 - limit) / (value - limit)^2.
    """
    value, n = share.value, effective_n(share)
    if value is None or n is None or abs(value - limit) < _ROUNDING:
        return None
    needed = _Z**2 * limit * (1 - limit) / (value - limit) ** 2
    return max(1, math.ceil(share.n * (needed / n - 1)))


def mean_interval(total: float, sum_of_squares: float, n: int) -> Interval | None:
    """Student's 95 % interval of a mean; None for fewer than two values."""
    if n < 2:
        return None
    mean = total / n
    variance = max(0.0, sum_of_squares - n * mean**2) / (n - 1)
    half = _student(n - 1) * math.sqrt(variance / n)
    return Interval(mean - half, mean + half, LEVEL, "student_t")


def score_interval(share: Proportion) -> Interval | None:
    """95 % interval of a weighted mean of scores in [0, 1]; None for fewer than two traces.

    The variance is that of a ratio of two sums between traces; t as in `effective_n`.

    Source: N. Dean and Pagano 2015 (clustered surveys).
    """
    mean = share.value
    if mean is None or share.n_clusters < 2:
        return None
    half = _student(share.n_equal_clusters - 1) * math.sqrt(_variance(share, mean))
    return Interval(max(0.0, mean - half), min(1.0, mean + half), LEVEL, "student_t")


def _variance(share: Proportion, value: float) -> float:
    """Of the ratio of two sums, between traces."""
    between = max(0.0, share.yy - 2 * value * share.ym + value**2 * share.mm)
    n = share.n_equal_clusters
    return n / (n - 1) * between / share.denominator**2


def _student(degrees: float) -> float:
    """The 97.5th percentile of Student's t."""
    from scipy import special  # costs a quarter of a second: only once a figure needs it

    return float(special.stdtrit(degrees, 1 - _TAIL))


class Ranks(NamedTuple):
    """One-based ranks of the order statistics that enclose a quantile."""

    low: int
    high: int


def quantile_ranks(n: int, q: float = 0.95) -> Ranks | None:
    """Ranks whose values enclose the q-quantile with at least 95 %; None when n is too small.

    Distribution-free: the number of values below the quantile is binomial (n, q).
    """
    if n < 1:
        return None
    low, high = _binomial_quantile(_TAIL, n, q), _binomial_quantile(1 - _TAIL, n, q) + 1
    return Ranks(low, high) if low >= 1 and high <= n else None


def _binomial_quantile(probability: float, n: int, q: float) -> int:
    """The smallest k with P(X <= k) >= probability."""
    from scipy import special

    k = math.ceil(float(special.bdtrik(probability, n, q)))
    return k - 1 if k > 0 and float(special.bdtr(k - 1, n, q)) >= probability else k


def _number(value: float) -> float:
    """Counts stay whole; sums of weights stay what they are."""
    return int(value) if float(value).is_integer() else float(value)
