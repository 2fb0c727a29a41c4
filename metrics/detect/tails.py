"""Tails of counts: how probable are k or more of n, when nothing has changed?

Sums of probabilities, each from its neighbour: exact up to rounding, and no numbers library needed.
"""

import math
from collections.abc import Callable
from typing import Final

__all__ = ["beta_binomial_tail", "binomial_tail", "zero_probability"]

_NEGLIGIBLE: Final = 1e-17


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(X >= k) for X ~ Binomial(n, p); 1 for k <= 0, 0 for k > n."""
    if k <= 0:
        return 1.0
    if k > n or p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    odds = p / (1 - p)

    def log_mass(x: int) -> float:
        return _log_choose(n, x) + x * math.log(p) + (n - x) * math.log1p(-p)

    return _tail(k, n, n * p, log_mass, lambda x: (n - x) / (x + 1) * odds)


def beta_binomial_tail(k: int, n: int, a: float, b: float) -> float:
    """P(X >= k) for X ~ BetaBinomial(n, a, b): n draws whose rate is Beta(a, b).

    With a = m - r + 1 and b = r it is the law of how many of n new values exceed the r-th smallest
    of m old ones, whatever distribution they all come from.

    Source: Balakrishnan and Ng 2006, Precedence-Type Tests.
    """
    if k <= 0:
        return 1.0
    if k > n:
        return 0.0

    def log_mass(x: int) -> float:
        return _log_choose(n, x) + _log_beta(x + a, n - x + b) - _log_beta(a, b)

    def ratio(x: int) -> float:
        return (n - x) / (x + 1) * (a + x) / (b + n - x - 1)

    return _tail(k, n, n * a / (a + b), log_mass, ratio)


def zero_probability(mean: float, burstiness: float) -> float:
    """P(X = 0) of a negative binomial with this mean; `burstiness` 0 is Poisson.

    Args:
        mean: Expected count.
        burstiness: 1 / k of the negative binomial: variance = mean + burstiness * mean^2.
    """
    if mean <= 0:
        return 1.0
    if burstiness <= 0:
        return math.exp(-mean)
    return math.exp(-math.log1p(burstiness * mean) / burstiness)


def _tail(
    k: int,
    n: int,
    mean: float,
    log_mass: Callable[[int], float],
    ratio: Callable[[int], float],
) -> float:
    """Sum from k upwards where that is the small side, else 1 minus the sum below k."""
    if k > mean:
        return min(1.0, _upwards(k, n, math.exp(log_mass(k)), ratio))
    return min(1.0, max(0.0, 1.0 - _downwards(k - 1, math.exp(log_mass(k - 1)), ratio)))


def _upwards(k: int, n: int, mass: float, ratio: Callable[[int], float]) -> float:
    total = mass
    for x in range(k, n):
        mass *= ratio(x)
        total += mass
        if mass < total * _NEGLIGIBLE:
            break
    return total


def _downwards(k: int, mass: float, ratio: Callable[[int], float]) -> float:
    total = mass
    for x in range(k - 1, -1, -1):
        mass /= ratio(x)
        total += mass
        if mass < total * _NEGLIGIBLE:
            break
    return total


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
