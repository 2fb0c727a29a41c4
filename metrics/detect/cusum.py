"""Bernoulli CUSUM: notices a small lasting rise that no single window shows."""

import math
from dataclasses import dataclass

__all__ = ["Cusum", "cusum_p_value"]


@dataclass(frozen=True, slots=True)
class Cusum:
    """The evidence so far that the rate is p1 rather than p0; start with `Cusum()`."""

    score: float = 0.0
    """Log likelihood ratio since the most telling moment; never below 0."""

    def after(self, n: int, k: int, p0: float, p1: float, scatter: float = 1.0) -> "Cusum":
        """The score after k of n more.

        Args:
            n: Calls.
            k: Those that were retried.
            p0: The rate that is expected.
            p1: The rate worth an alarm, above p0.
            scatter: Counts are worth n / scatter independent ones.

        Source: Page 1954; Reynolds and Stoumbos 1999 (Bernoulli form).
        """
        ratio = k * math.log(p1 / p0) + (n - k) * math.log((1 - p1) / (1 - p0))
        return Cusum(max(0.0, self.score + ratio / scatter))


def cusum_p_value(score: float, n: int) -> float:
    """An upper bound for the probability that a score so high occurs within n calls at rate p0.

    Each call may be the start of the run that ends in it, and a run that starts at one call reaches
    the score with probability e^-score at most (Ville); the bound is generous by about a factor 30.
    """
    return min(1.0, n * math.exp(-score))
