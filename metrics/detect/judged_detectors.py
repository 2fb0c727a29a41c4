"""Watch judged decisions and guard rules: evidence that grows until it is enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from metrics.detect.eprocess import EVERY, HORIZON, Judged, evidence
from metrics.detect.reading import Reading, Track
from metrics.detect.silence import Activity, GuardHour, Silence, SilenceKind
from metrics.detect.windowed import HOUR_NS

__all__ = ["AccuracyDetector", "AccuracyRule", "GuardDetector"]

_NEW_PROCESS: Final = HORIZON // 2
"""A new process begins so often; each is looked at together with the one before."""
_SHOWN: Final = 50
"""The accuracy told is that of so many newest judged decisions, at least."""


@dataclass(frozen=True, slots=True)
class AccuracyRule:
    """When an accuracy is worth telling."""

    limit: float = 0.85
    min_change: float = 0.05
    """Below the limit, at least."""


class AccuracyDetector:
    """Watches judged decisions with an e-process, which may be looked at after each."""

    def __init__(self, rule: AccuracyRule) -> None:
        self._rule = rule
        self._judged: list[Judged] = []
        self._n = 0
        self._n_told = 0

    def step(self, _hour: int, slot: Sequence[Judged]) -> Reading | None:
        """A reading after every twenty judged decisions."""
        self._judged += slot
        self._n += len(slot)
        if self._n - self._n_told < EVERY:
            return None
        self._n_told = self._n
        self._forget()
        return self._reading()

    def settle(self, track: Track) -> None:
        """Its limit is fixed: nothing is learnt."""

    def _forget(self) -> None:
        """Keep the two processes that are under way."""
        if len(self._judged) > HORIZON:
            del self._judged[: _NEW_PROCESS * ((len(self._judged) - 1) // _NEW_PROCESS - 1)]

    def _reading(self) -> Reading:
        older = evidence(self._judged, self._rule.limit)
        younger = evidence(self._judged[_NEW_PROCESS:], self._rule.limit)
        wealth = (older.wealth + younger.wealth) / 2
        newest = self._judged[-_SHOWN:]
        accuracy = _weighted(newest)
        return Reading(
            self._judged[older.start].time_ns,
            newest[-1].time_ns + 1,
            len(newest),
            accuracy,
            None,
            self._rule.limit,
            min(1.0, 1 / wealth),
            is_large=accuracy <= self._rule.limit - self._rule.min_change,
            is_calm=accuracy >= self._rule.limit,
            needs_persistence=False,
        )


def _weighted(judged: Sequence[Judged]) -> float:
    """Accuracy with each decision's inclusion made up for: weights are smallest over own."""
    total = sum(item.weight for item in judged)
    return sum(item.weight * item.correct for item in judged) / total


class GuardDetector:
    """Watches one rule for silence; each hour with calls brings a reading."""

    def __init__(self, max_p_value: float) -> None:
        self._max_p_value = max_p_value
        self._evaluations = Activity()
        self._hits = Activity()
        self._kind: SilenceKind | None = None

    def step(self, _hour: int, slot: GuardHour) -> Reading | None:
        """See `Detector`."""
        if not slot.n_calls and not slot.n_evaluations:
            return None
        self._evaluations = self._evaluations.after(
            slot.time_ns, max(slot.n_calls, slot.n_evaluations), slot.n_evaluations
        )
        self._hits = self._hits.after(slot.time_ns, slot.n_evaluations, slot.n_hits)
        end = slot.time_ns + HOUR_NS
        for activity, kind in (
            (self._evaluations, SilenceKind.EVALUATIONS),
            (self._hits, SilenceKind.HITS),
        ):
            found = activity.silence(kind)
            if found is not None and found.p_value < self._max_p_value:
                self._kind = kind
                return self._silent(found, end)
        return Reading(
            slot.time_ns,
            end,
            slot.n_evaluations,
            float(slot.n_hits),
            None,
            0.0,
            1.0,
            is_large=False,
            is_calm=slot.n_evaluations > 0
            and (slot.n_hits > 0 or self._kind is SilenceKind.EVALUATIONS),
            needs_persistence=False,
        )

    def settle(self, track: Track) -> None:
        """Nothing is kept back: signs of life end a silence."""

    def _silent(self, found: Silence, end: int) -> Reading:
        return Reading(
            found.since_ns,
            end,
            found.n_silent,
            0.0,
            found.n_signs / found.n_until,
            0.0,
            found.p_value,
            is_large=True,
            is_calm=False,
            n_baseline=found.n_until,
            needs_persistence=False,
            kind=found.kind,
        )
