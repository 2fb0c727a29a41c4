"""Has a mean risen? Welch's test on logarithms, from how many have each value."""

import math
from collections.abc import Mapping
from statistics import NormalDist

__all__ = ["mean_rise"]

_NORMAL = NormalDist()


def mean_rise(now: Mapping[int, int], before: Mapping[int, int]) -> float:
    """One-sided p-value that the mean of log(1 + value) is higher now; 1 with fewer than two each.

    Counts of steps are skewed: their logarithms are nearly normal. By the normal law, which asks for
    some fifty cases on each side.

    Source: Welch 1947.
    """
    mean, error = _moments(now)
    usual, usual_error = _moments(before)
    if math.isnan(error) or math.isnan(usual_error):
        return 1.0
    scale = math.hypot(error, usual_error)
    if scale == 0:
        return 0.0 if mean > usual else 1.0
    return _NORMAL.cdf((usual - mean) / scale)


def _moments(values: Mapping[int, int]) -> tuple[float, float]:
    """Mean of the logarithms and its standard error; NaN for fewer than two."""
    n = sum(values.values())
    if n < 2:
        return math.nan, math.nan
    mean = sum(count * math.log1p(value) for value, count in values.items()) / n
    square = sum(count * (math.log1p(value) - mean) ** 2 for value, count in values.items())
    return mean, math.sqrt(square / (n - 1) / n)
