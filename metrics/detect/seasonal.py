"""What is usual at this hour: a series' own history, by hour of the week where there is enough."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

__all__ = ["HOURS_A_WEEK", "MIN_SLOTS", "History", "Level", "Reference"]

HOURS_A_DAY: Final = 24
HOURS_A_WEEK: Final = 7 * HOURS_A_DAY
MIN_SLOTS: Final = 4
"""Fewer earlier hours of a kind are no baseline."""
_MAX_SLOTS: Final = 8
_RECENT_HOURS: Final = 2 * HOURS_A_WEEK


class Sized(Protocol):
    """What one hour holds."""

    @property
    def n(self) -> int:
        """How many cases."""


_Slot = TypeVar("_Slot", bound=Sized)


class Level(StrEnum):
    """How alike the earlier hours are to those in question."""

    HOUR_OF_WEEK = "hour_of_week"
    HOUR_OF_DAY = "hour_of_day"
    ANY_HOUR = "any_hour"


@dataclass(frozen=True, slots=True)
class Reference(Generic[_Slot]):
    """Earlier hours to compare with."""

    level: Level
    slots: tuple[_Slot, ...]

    @property
    def n(self) -> int:
        """Cases in all."""
        return sum(slot.n for slot in self.slots)


class History(Generic[_Slot]):
    """The hours of one series that count as usual; what belongs to an alarm is never added.

    The last 8 hours of each kind are kept: 8 weeks of one hour of the week. They are pooled, not
    averaged, so that a test knows how many cases the baseline rests on.

    Args:
        min_n: A reference with fewer cases gives way to a coarser one.
    """

    def __init__(self, min_n: int) -> None:
        self._min_n = min_n
        self._by_week: dict[int, deque[_Slot]] = {}
        self._by_day: dict[int, deque[_Slot]] = {}
        self._recent: deque[_Slot] = deque(maxlen=_RECENT_HOURS)

    def add(self, hour: int, slot: _Slot) -> None:
        """An hour (since the epoch) that was usual; one without cases is none."""
        if not slot.n:
            return
        self._by_week.setdefault(hour % HOURS_A_WEEK, deque(maxlen=_MAX_SLOTS)).append(slot)
        self._by_day.setdefault(hour % HOURS_A_DAY, deque(maxlen=_MAX_SLOTS)).append(slot)
        self._recent.append(slot)

    @property
    def recent(self) -> tuple[_Slot, ...]:
        """The usual hours of two weeks, oldest first."""
        return tuple(self._recent)

    def like(self, hours: Sequence[int]) -> Reference[_Slot] | None:
        """Earlier hours like these, as alike as there are enough of; None before there are."""
        return (
            self._reference(Level.HOUR_OF_WEEK, self._by_week, {h % HOURS_A_WEEK for h in hours})
            or self._reference(Level.HOUR_OF_DAY, self._by_day, {h % HOURS_A_DAY for h in hours})
            or self._any()
        )

    def _reference(
        self, level: Level, kept: dict[int, deque[_Slot]], kinds: Iterable[int]
    ) -> Reference[_Slot] | None:
        slots: list[_Slot] = []
        for kind in kinds:
            held = kept.get(kind, ())
            if len(held) < MIN_SLOTS:
                return None
            slots.extend(held)
        found = Reference(level, tuple(slots))
        return found if found.n >= self._min_n else None

    def _any(self) -> Reference[_Slot] | None:
        if len(self._recent) < MIN_SLOTS * HOURS_A_DAY // 2:
            return None
        found = Reference(Level.ANY_HOUR, tuple(self._recent))
        return found if found.n >= self._min_n else None
