"""A hundred hourly series in which nothing goes wrong: twenty tools, five metrics each.

They are not kind: traffic follows day and week, rates drift with the hour and wander slowly, calls
of one task resemble each other, durations have long tails that grow under load.
"""

from collections import Counter
from typing import Any, Final

import numpy as np

from metrics.detect import (
    HOUR_NS,
    AccuracyDetector,
    AccuracyRule,
    Counts,
    GuardDetector,
    GuardHour,
    Judged,
    MeanDetector,
    MeanRule,
    QuantileDetector,
    QuantileRule,
    RateDetector,
    RateRule,
    Values,
    Watched,
)

FIRST_HOUR: Final = 472_000
HOURS_A_WEEK: Final = 168
RETRY: Final = RateRule(min_n=50, min_factor=1.5, min_change=0.02, has_cusum=True)
P95: Final = QuantileRule(q=0.95, min_n=72, min_factor=1.3, min_change=100)
STEPS: Final = MeanRule(min_n=50, min_factor=1.2, min_change=0.3)
_Draws = np.random.Generator


def healthy_series(seed: int, n_tools: int, n_hours: int) -> list[Watched[tuple[str, str]]]:
    """Five series a tool, keyed by metric and tool."""
    draws = np.random.default_rng(seed)
    found: list[Watched[tuple[str, str]]] = []
    for number in range(n_tools):
        traffic = _traffic(draws, n_hours)
        tool = f"tool_{number}"
        for metric, make in _MAKERS.items():
            detector, slots = make(draws, traffic)
            hours = {FIRST_HOUR + hour: slot for hour, slot in enumerate(slots)}
            found.append(Watched((metric, tool), detector, hours))
    return found


def _traffic(draws: _Draws, n_hours: int) -> Any:
    """Calls an hour: a day's rhythm, quiet week-ends, a tool's own size."""
    hours = np.arange(n_hours)
    size = np.exp(draws.uniform(np.log(8), np.log(150)))
    day = 1 + 0.7 * np.sin(2 * np.pi * (hours % 24 - 9) / 24)
    week = np.where(hours // 24 % 7 >= 5, 0.5, 1.0)
    return draws.poisson(size * day * week)


def _wander(draws: _Draws, n: int, spread: float) -> Any:
    """A slow random factor around 1 that forgets within some hours."""
    level, found = 0.0, []
    for shock in draws.normal(0, spread * np.sqrt(1 - 0.8**2), n):
        level = 0.8 * level + shock
        found.append(level)
    return np.exp(np.array(found))


def _rate(draws: _Draws, n_hours: int, base: float, spread: float) -> Any:
    season = 1 + 0.3 * np.sin(2 * np.pi * np.arange(n_hours) / 24)
    return np.minimum(0.9, base * season * _wander(draws, n_hours, spread))


def _clustered(draws: _Draws, n: np.ndarray[Any, Any], rate: np.ndarray[Any, Any]) -> Any:
    """Half of the calls come in pairs that share their fate; each hour has its own luck besides."""
    luck = draws.gamma(25, 1 / 25, len(rate))
    chance = np.minimum(0.9, rate * luck)
    pairs = n // 4
    return 2 * draws.binomial(pairs, chance) + draws.binomial(n - 2 * pairs, chance)


def _retries(draws: _Draws, traffic: np.ndarray[Any, Any]) -> tuple[RateDetector, list[Counts]]:
    rate = _rate(draws, len(traffic), draws.uniform(0.01, 0.12), 0.1)
    retried: np.ndarray[Any, Any] = _clustered(draws, traffic, rate)
    return RateDetector(RETRY), [
        Counts(int(n), int(k)) for n, k in zip(traffic, retried, strict=True)
    ]


def _latency(draws: _Draws, traffic: np.ndarray[Any, Any]) -> tuple[QuantileDetector, list[Values]]:
    median = draws.uniform(80, 1500) * _wander(draws, len(traffic), 0.05)
    load = 1 + 0.15 * traffic / max(1, traffic.max())
    sigma = draws.uniform(0.3, 0.8)
    slots = []
    for n, centre in zip(traffic, median * load, strict=True):
        values = np.exp(draws.normal(np.log(centre), sigma, n)).astype(int)
        slots.append(Values(Counter(values.tolist())))
    return QuantileDetector(P95), slots


def _steps(draws: _Draws, traffic: np.ndarray[Any, Any]) -> tuple[MeanDetector, list[Values]]:
    mean = draws.uniform(1.5, 5) * _wander(draws, len(traffic), 0.03)
    slots = [
        Values(Counter((1 + draws.poisson(centre - 1 + 0.1, n // 2)).tolist()))
        for n, centre in zip(traffic, mean, strict=True)
    ]
    return MeanDetector(STEPS), slots


def _accuracy(
    draws: _Draws, traffic: np.ndarray[Any, Any]
) -> tuple[AccuracyDetector, list[list[Judged]]]:
    accuracy = draws.uniform(0.87, 0.96)
    slots = []
    for hour, n in enumerate(draws.poisson(0.3, len(traffic))):
        time_ns = (FIRST_HOUR + hour) * HOUR_NS
        right = draws.random(n) < accuracy
        slots.append([Judged(time_ns, float(ok), 1.0) for ok in right])
    return AccuracyDetector(AccuracyRule()), slots


def _guard(draws: _Draws, traffic: np.ndarray[Any, Any]) -> tuple[GuardDetector, list[GuardHour]]:
    rate = _rate(draws, len(traffic), draws.uniform(0.01, 0.2), 0.5)
    hits = draws.binomial(traffic, rate)
    return GuardDetector(0.001), [
        GuardHour((FIRST_HOUR + hour) * HOUR_NS, int(n), int(n), int(k))
        for hour, (n, k) in enumerate(zip(traffic, hits, strict=True))
    ]


_MAKERS: Final[dict[str, Any]] = {
    "retry_rate": _retries,
    "latency_p95_call": _latency,
    "steps_per_task": _steps,
    "selection_accuracy": _accuracy,
    "guard_hits": _guard,
}
