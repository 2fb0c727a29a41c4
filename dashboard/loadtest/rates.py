"""Requests per second at the service: their mean, their peak, their course."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

WINDOW_SECONDS: Final = 0.1
"""Short enough to see that many tries arrive at one moment."""


def windows(arrivals: Sequence[float], width_seconds: float = WINDOW_SECONDS) -> list[float]:
    """Requests per second in each window from the first arrival to the last; empty for none."""
    if not arrivals:
        return []
    start = min(arrivals)
    counts = Counter(int((at - start) / width_seconds) for at in arrivals)
    return [counts[at] / width_seconds for at in range(max(counts) + 1)]


def mean_per_second(arrivals: Sequence[float]) -> float | None:
    """Requests by the time from the first to the last; None for less than two."""
    passed = max(arrivals) - min(arrivals) if arrivals else 0.0
    return len(arrivals) / passed if passed else None


def peak_per_second(arrivals: Sequence[float]) -> float | None:
    """The busiest window, as requests per second; None without requests."""
    return max(windows(arrivals), default=None)
