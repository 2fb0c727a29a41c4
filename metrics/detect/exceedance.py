"""Has a high quantile risen? How many new values pass the old quantile, whatever their law is.

A quantile needs many values to be known; whether more than a twentieth of the new ones pass the old
P95 needs few: 44 tell 20 % from 5 % (level .01, power .8).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from metrics.detect.tails import beta_binomial_tail

__all__ = ["Exceedance", "exceedance", "quantile_of"]

Histogram = Mapping[int, int]
"""Ordered value (a bucket, a number of steps) to how many have it."""


@dataclass(frozen=True, slots=True)
class Exceedance:
    """How many new values pass the old quantile."""

    threshold: int
    """The old quantile: the r-th smallest old value."""
    n: int
    """New values."""
    k: int
    """Those above the threshold."""
    n_before: int
    p_value: float
    """Of so many above, if the new values follow the law of the old ones."""

    @property
    def share(self) -> float:
        """K over n."""
        return self.k / self.n


def exceedance(
    now: Histogram, before: Histogram, q: float = 0.95, scatter: float = 1.0
) -> Exceedance | None:
    """The exceedance test; None where either side is empty.

    Exact for values without ties; ties make it careful, because only values above count.

    Args:
        now: New values.
        before: Old ones.
        q: The quantile.
        scatter: How much more than independent values the slots scatter (`rates.dispersion`).
    """
    n, n_before = sum(now.values()), sum(before.values())
    if not n or not n_before:
        return None
    rank = math.ceil(q * n_before)
    threshold = _ranked(before, rank)
    k = sum(count for value, count in now.items() if value > threshold)
    few, most = math.ceil(n / scatter), math.floor(k / scatter)
    known, worth = n_before / scatter, rank / scatter
    p_value = beta_binomial_tail(min(most, few), few, known - worth + 1, worth)
    return Exceedance(threshold, n, k, n_before, p_value)


def quantile_of(values: Histogram, q: float) -> int | None:
    """The smallest value that a share q of all does not pass; None without values."""
    n = sum(values.values())
    return _ranked(values, max(1, math.ceil(q * n))) if n else None


def _ranked(values: Histogram, rank: int) -> int:
    seen = 0
    for value in sorted(values):
        seen += values[value]
        if seen >= rank:
            break
    return value
