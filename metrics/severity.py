"""How far is a figure past its limit, in units of what its evidence can tell apart?"""

import math
from typing import Final

from metrics.judge import limit_level
from metrics.values import Metric, ThresholdKind

MOST: Final = 10.0
"""More is not told apart: it is certain."""


def severity(metric: Metric) -> float:
    """Distance from the limit over the half interval on that side: 1 is just certain; at most 10.

    0 without a limit that is a level, or without an interval.
    """
    if metric.threshold is None or metric.value is None or metric.interval is None:
        return 0.0
    limit = limit_level(metric.threshold, metric.baseline)
    if limit is None:
        return 0.0
    is_low = metric.threshold.kind is ThresholdKind.AT_LEAST
    distance = limit - metric.value if is_low else metric.value - limit
    bound = metric.interval.high if is_low else metric.interval.low
    half = abs(metric.value - bound)
    return _capped(distance / half) if half else (MOST if distance > 0 else 0.0)


def silence_severity(probability: float, max_probability: float) -> float:
    """The same for a silence: 1 where it is just improbable enough."""
    if probability <= 0:
        return MOST
    return _capped(math.log(probability) / math.log(max_probability))


def _capped(value: float) -> float:
    return min(MOST, max(0.0, value))
