"""Latency buckets: a logarithmic scale on which each is 2 % wider than the one before.

The middle of a bucket is at most 1 % from every duration in it (of a microsecond and more).
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

__all__ = ["middle_ns", "quantile_ns", "slow_count", "start_ns"]

_LOG_WIDTH: Final = 0.0198026
_ROUNDING: Final = 1e-6


def middle_ns(bucket: int) -> float:
    """The middle of a bucket in nanoseconds, on the logarithmic scale."""
    return 1000 * math.exp(_LOG_WIDTH * (bucket + 0.5))


def start_ns(value_ns: float) -> int:
    """The least whole nanoseconds in the lowest bucket whose middle is `value_ns` or more."""
    place = math.log(value_ns / 1000) / _LOG_WIDTH - 0.5
    bucket = math.ceil(place - _ROUNDING)
    return math.ceil(1000 * math.exp(bucket * _LOG_WIDTH)) if bucket > 0 else 0


def quantile_ns(buckets: Sequence[int], counts: Sequence[int], q: float) -> float:
    """The q-quantile of durations of which only the buckets are known, within 1 %.

    Args:
        buckets: Rising.
        counts: Durations in each; their sum is at least 1.
        q: In [0, 1]; between two ranks it is interpolated.
    """
    n_upto = list(accumulate(counts))
    rank = q * (n_upto[-1] - 1)
    low, high = (
        middle_ns(buckets[bisect_right(n_upto, place)])
        for place in (math.floor(rank), math.ceil(rank))
    )
    return low + (rank - math.floor(rank)) * (high - low)


def slow_count(buckets: Sequence[int], counts: Sequence[int], slow_ns: float) -> int:
    """How many durations lie in the buckets whose middle is `slow_ns` or more."""
    return sum(counts[bisect_left(buckets, slow_ns, key=middle_ns) :])
