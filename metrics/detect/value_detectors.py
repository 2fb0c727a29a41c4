"""Watch values of which the high ones matter: durations, steps."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from metrics.detect.exceedance import exceedance, quantile_of
from metrics.detect.means import mean_rise
from metrics.detect.rates import Counts, above_limit, dispersion
from metrics.detect.reading import Reading
from metrics.detect.seasonal import Reference
from metrics.detect.windowed import Windowed

__all__ = ["MeanDetector", "MeanRule", "QuantileDetector", "QuantileRule", "Values"]

_LARGE: Final = 2.0
"""Twice the share that should pass the quantile: of a P95, 10 %."""
_CALM: Final = 1.6
_URGENT: Final = 4.0
"""Of a P95, 20 %: the quantile is passed by every fifth."""


@dataclass(frozen=True)
class Values:
    """The values of one hour: how many of each."""

    counts: Mapping[int, int]

    @cached_property
    def n(self) -> int:
        """How many values."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """Their mean; 0 without any."""
        return sum(value * count for value, count in self.counts.items()) / max(1, self.n)

    def above(self, threshold: int) -> Counts:
        """Those above a threshold, of all."""
        k = sum(count for value, count in self.counts.items() if value > threshold)
        return Counts(self.n, k)


@dataclass(frozen=True, slots=True)
class QuantileRule:
    """When a high quantile is worth telling. Values are ordered numbers of any kind."""

    q: float
    min_n: int
    min_factor: float
    min_change: float
    unit: Callable[[int], float] = float
    """From a value to what it stands for, where values are places on a scale."""
    limit: float | None = None
    """A fixed limit, in the unit, that a share q of the values must stay under."""


class QuantileDetector(Windowed[Values]):
    """Watches whether more values than usual pass the usual quantile."""

    def __init__(self, rule: QuantileRule) -> None:
        super().__init__(rule.min_n)
        self._rule = rule

    def step(self, hour: int, slot: Values) -> Reading | None:
        """See `Detector`."""
        if not self._fill(hour, slot):
            return None
        now = _together(held for _, held in self._closed)
        reference = self._reference()
        relative = None if reference is None else self._against(now, reference)
        fixed = None if self._rule.limit is None else self._over(now, self._rule.limit)
        if relative is None and fixed is None:
            self._learn()
        return _worse(relative, fixed)

    def _unit(self, value: int) -> float:
        return self._rule.unit(value)

    def _against(self, now: Values, reference: Reference[Values]) -> Reading | None:
        rule, before = self._rule, _together(reference.slots)
        usual = quantile_of(before.counts, rule.q)
        if usual is None:
            return None
        scatter = dispersion(slot.above(usual) for slot in reference.slots)
        found = exceedance(now.counts, before.counts, rule.q, scatter)
        value = self._value(now)
        if found is None or value is None:
            return None
        base = self._unit(usual)
        limit = max(base * rule.min_factor, base + rule.min_change)
        start, end = self._span
        is_large = value >= limit and found.share >= _LARGE * (1 - rule.q)
        return Reading(
            start,
            end,
            now.n,
            value,
            base,
            limit,
            found.p_value if is_large else 1.0,
            is_large=is_large,
            is_calm=found.share <= _CALM * (1 - rule.q) or value <= (base + limit) / 2,
            level=reference.level,
            n_baseline=before.n,
            is_urgent=found.share >= _URGENT * (1 - rule.q),
        )

    def _over(self, now: Values, limit: float) -> Reading | None:
        k = sum(count for value, count in now.counts.items() if self._unit(value) > limit)
        value = self._value(now)
        if value is None:
            return None
        start, end = self._span
        p_value = above_limit(Counts(now.n, k), 1 - self._rule.q)
        is_over = value > limit
        return Reading(
            start, end, now.n, value, None, limit, p_value, is_large=is_over, is_calm=not is_over
        )

    def _value(self, now: Values) -> float | None:
        place = quantile_of(now.counts, self._rule.q)
        return None if place is None else self._unit(place)


@dataclass(frozen=True, slots=True)
class MeanRule:
    """When a mean of small whole numbers is worth telling."""

    min_n: int
    min_factor: float
    min_change: float
    tail_q: float = 0.9
    """The quantile whose excess counts too: a mean hides a few loops."""


class MeanDetector(Windowed[Values]):
    """Watches a mean for a rise, by its logarithm and by the share in its tail."""

    def __init__(self, rule: MeanRule) -> None:
        super().__init__(rule.min_n)
        self._rule = rule

    def step(self, hour: int, slot: Values) -> Reading | None:
        """See `Detector`."""
        if not self._fill(hour, slot):
            return None
        reference = self._reference()
        if reference is None:
            self._learn()
            return None
        now, before = _together(held for _, held in self._closed), _together(reference.slots)
        value, base = now.mean, before.mean
        limit = max(base * self._rule.min_factor, base + self._rule.min_change)
        start, end = self._span
        return Reading(
            start,
            end,
            now.n,
            value,
            base,
            limit,
            self._p_value(now, before) if value >= limit else 1.0,
            is_large=value >= limit,
            is_calm=value <= (base + limit) / 2,
            level=reference.level,
            n_baseline=before.n,
        )

    def _p_value(self, now: Values, before: Values) -> float:
        tail = exceedance(now.counts, before.counts, self._rule.tail_q)
        by_tail = tail.p_value if tail else 1.0
        return min(1.0, 2 * min(by_tail, mean_rise(now.counts, before.counts)))


def _together(slots: Iterable[Values]) -> Values:
    total: Counter[int] = Counter()
    for slot in slots:
        total.update(slot.counts)
    return Values(total)


def _worse(first: Reading | None, second: Reading | None) -> Reading | None:
    """The more telling of two tests of one window, its p-value doubled: there were two chances."""
    if first is None or second is None:
        return first or second
    worse = min(first, second, key=lambda item: item.p_value)
    is_calm = first.is_calm and second.is_calm
    return replace(worse, p_value=min(1.0, 2 * worse.p_value), is_calm=is_calm)
