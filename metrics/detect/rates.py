"""Has a rate risen or fallen? New counts against old ones, and against a fixed limit."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from metrics.detect.tails import beta_binomial_tail, binomial_tail

__all__ = ["Counts", "above_limit", "dispersion", "pooled", "rate_fall", "rate_rise"]

_PRIOR_SLOTS: Final = 10
"""So many slots of plain binomial scatter are added to the estimate: few slots say little."""


@dataclass(frozen=True, slots=True)
class Counts:
    """k of n."""

    n: int
    k: int

    @property
    def rate(self) -> float | None:
        """K over n; None without cases."""
        return self.k / self.n if self.n else None


def pooled(slots: Iterable[Counts]) -> Counts:
    """All of them together."""
    held = list(slots)
    return Counts(sum(slot.n for slot in held), sum(slot.k for slot in held))


def dispersion(slots: Iterable[Counts]) -> float:
    """How much more the slots scatter than independent draws of one rate would; at least 1.

    Pearson's chi-square over its degrees of freedom, shrunk towards 1. Calls of one trace resemble
    each other and a rate changes over the day: counts are worth n / dispersion independent draws.

    Source: McCullagh and Nelder 1989, §4.5.
    """
    held = [slot for slot in slots if slot.n]
    whole = pooled(held)
    rate = whole.rate
    if len(held) < 2 or rate is None or not 0 < rate < 1:
        return 1.0
    unit = rate * (1 - rate)
    square = sum((slot.k - slot.n * rate) ** 2 / (slot.n * unit) for slot in held)
    return max(1.0, (square + _PRIOR_SLOTS) / (len(held) - 1 + _PRIOR_SLOTS))


def rate_rise(now: Counts, before: Counts, scatter: float = 1.0) -> float:
    """P-value of so many now, if the rate is still that of before; 1 where either is empty.

    Predictive: it takes in how little the old counts may know. `scatter` is their `dispersion`.
    """
    if not now.n or not before.n:
        return 1.0
    n, k = math.ceil(now.n / scatter), math.floor(now.k / scatter)
    known, hits = before.n / scatter, before.k / scatter
    return beta_binomial_tail(min(k, n), n, hits + 1, max(known - hits, 1e-9))


def rate_fall(now: Counts, before: Counts, scatter: float = 1.0) -> float:
    """The same for so few now."""
    return rate_rise(Counts(now.n, now.n - now.k), Counts(before.n, before.n - before.k), scatter)


def above_limit(now: Counts, limit: float, scatter: float = 1.0) -> float:
    """P-value of so many now, if the rate is no more than the limit; 1 without cases."""
    if not now.n:
        return 1.0
    n, k = math.ceil(now.n / scatter), math.floor(now.k / scatter)
    return binomial_tail(min(k, n), n, limit)
