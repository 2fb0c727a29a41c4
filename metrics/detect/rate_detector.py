"""Watches k of n for a rise, a fall, or more than a limit."""

import math
from dataclasses import dataclass
from typing import Final

from metrics.detect.cusum import Cusum, cusum_p_value
from metrics.detect.rates import Counts, above_limit, dispersion, pooled, rate_fall, rate_rise
from metrics.detect.reading import Reading, Track
from metrics.detect.seasonal import HOURS_A_WEEK, Reference
from metrics.detect.windowed import HOUR_NS, Windowed

__all__ = ["RateDetector", "RateRule"]

_MEASURED_EVERY: Final = 24


@dataclass(frozen=True, slots=True)
class RateRule:
    """When a rate is worth telling."""

    min_n: int
    """Cases a window must hold."""
    min_factor: float = 1.0
    """Times the baseline, at least."""
    min_change: float = 0.0
    """Away from the baseline, at least."""
    limit: float | None = None
    """A fixed limit to hold it against, in place of a baseline."""
    is_fall: bool = False
    """A fall is what matters, not a rise."""
    has_cusum: bool = False
    """Whether small lasting rises count too."""


class RateDetector(Windowed[Counts]):
    """Watches k of n for a rise, a fall, or more than a limit."""

    def __init__(self, rule: RateRule) -> None:
        super().__init__(rule.min_n)
        self._rule = rule
        self._cusum = Cusum()
        self._was_usual = True
        self._scatter = 1.0
        self._n_windows = 0

    def step(self, hour: int, slot: Counts) -> Reading | None:
        """See `Detector`."""
        if not self._fill(hour, slot):
            return None
        now = pooled(held for _, held in self._closed)
        if self._rule.limit is not None:
            return self._against_limit(now, self._rule.limit)
        reference = self._reference()
        if reference is None:
            self._learn()
            return None
        return self._against(now, reference)

    def settle(self, track: Track) -> None:
        """See `Detector`; a new alarm starts from no evidence."""
        super().settle(track)
        if track.is_usual and not self._was_usual:
            self._cusum = Cusum()
        self._was_usual = track.is_usual

    def _against_limit(self, now: Counts, limit: float) -> Reading:
        slots = [held for _, held in self._closed]
        rate = now.rate or 0.0
        start, end = self._span
        return Reading(
            start,
            end,
            now.n,
            rate,
            None,
            limit,
            above_limit(now, limit, dispersion(slots)),
            is_large=rate > limit,
            is_calm=rate <= limit,
        )

    def _against(self, now: Counts, reference: Reference[Counts]) -> Reading:
        before = pooled(reference.slots)
        scatter = max(dispersion(reference.slots), self._long_scatter())
        rate, usual = now.rate or 0.0, before.rate or 0.0
        limit = self._limit(usual)
        test = rate_fall if self._rule.is_fall else rate_rise
        sign = -1 if self._rule.is_fall else 1
        is_large = sign * (rate - limit) >= 0
        is_calm = sign * (rate - (usual + limit) / 2) <= 0
        p_value = test(now, before, scatter) if is_large else 1.0
        if self._rule.has_cusum:
            slow = self._slow(now, Counts(before.n + 1, before.k + 1).rate or 0.0, scatter)
            is_large = is_large or (slow < p_value and not is_calm)
            p_value = min(1.0, 2 * min(p_value, slow))
        start, end = self._span
        return Reading(
            start,
            end,
            now.n,
            rate,
            usual,
            limit,
            p_value,
            is_large=is_large,
            is_calm=is_calm,
            level=reference.level,
            n_baseline=before.n,
        )

    def _limit(self, usual: float) -> float:
        rule = self._rule
        if rule.is_fall:
            return min(usual / rule.min_factor, usual - rule.min_change)
        return max(usual * rule.min_factor, usual + rule.min_change)

    def _long_scatter(self) -> float:
        """The scatter of two weeks, measured anew once in a while: eight hours say little of it."""
        if self._n_windows % _MEASURED_EVERY == 0:
            self._scatter = dispersion(self._history.recent)
        self._n_windows += 1
        return self._scatter

    def _slow(self, now: Counts, p0: float, scatter: float) -> float:
        """CUSUM from p0 to p1 = max(2 p0, p0 + .05); the bound is for the calls of a week."""
        p1 = max(2 * p0, p0 + 0.05)
        if p1 >= 1:
            return 1.0
        self._cusum = self._cusum.after(now.n, now.k, p0, p1, scatter)
        start, end = self._span
        per_hour = now.n * HOUR_NS / (end - start)
        return cusum_p_value(self._cusum.score, math.ceil(per_hour * HOURS_A_WEEK))
