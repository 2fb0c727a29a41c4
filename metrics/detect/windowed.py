"""Windows by count: hours are collected until they hold enough cases to say something."""

from typing import Final, Generic, Protocol, TypeVar

from metrics.detect.reading import Reading, Track
from metrics.detect.seasonal import History, Reference, Sized

__all__ = ["HOUR_NS", "Detector", "Windowed"]

HOUR_NS: Final = 3_600 * 10**9
_MAX_HOURS: Final = 7 * 24
"""A window that does not fill within a week says nothing about now."""
_LEAST_REFERENCE: Final = 200

_Slot = TypeVar("_Slot", bound=Sized)
_SlotContra = TypeVar("_SlotContra", contravariant=True)


class Detector(Protocol[_SlotContra]):
    """One series under watch."""

    def step(self, hour: int, slot: _SlotContra) -> Reading | None:
        """Take one hour (since the epoch); the reading of the window that it fills, if it does."""

    def settle(self, track: Track) -> None:
        """Told what became of the reading: only what was usual joins the baseline."""


class Windowed(Generic[_Slot]):
    """Collects hours until they hold enough cases, and keeps those that were usual.

    Args:
        min_n: Cases a window must hold.
    """

    def __init__(self, min_n: int) -> None:
        self._min_n = min_n
        self._hours: list[tuple[int, _Slot]] = []
        self._closed: list[tuple[int, _Slot]] = []
        self._history: History[_Slot] = History(max(_LEAST_REFERENCE, 2 * min_n))

    def _fill(self, hour: int, slot: _Slot) -> bool:
        """Whether the window is full now; it is then in `_closed`."""
        if slot.n:
            self._hours.append((hour, slot))
        while self._hours and self._hours[0][0] <= hour - _MAX_HOURS:
            self._hours.pop(0)
        if sum(held.n for _, held in self._hours) < self._min_n:
            return False
        self._closed, self._hours = self._hours, []
        return True

    def _reference(self) -> Reference[_Slot] | None:
        """What the window is compared with; None while that is still being learnt."""
        return self._history.like([hour for hour, _ in self._closed])

    def settle(self, track: Track) -> None:
        """Only what was usual joins the baseline."""
        if track.is_usual:
            self._learn()
        self._closed = []

    def _learn(self) -> None:
        """The window joins the baseline."""
        for hour, slot in self._closed:
            self._history.add(hour, slot)

    @property
    def _span(self) -> tuple[int, int]:
        return self._closed[0][0] * HOUR_NS, (self._closed[-1][0] + 1) * HOUR_NS
