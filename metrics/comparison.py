"""The shapes of a comparison: one figure on two sides, and what the difference is worth."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from metrics.values import Interval, Unit

MIN_CASES: Final = 30
"""A figure with fewer cases on either side is shown and not tested."""


class Change(StrEnum):
    """What the difference between the sides is worth."""

    BETTER = "better"
    WORSE = "worse"
    OTHER = "other"
    """Changed, in no direction that is better: what the plans are."""
    UNSURE = "unsure"
    """The difference may be chance."""
    NO_DATA = "no_data"
    """One side has too few cases."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one side; None without cases."""

    value: float | None
    n: int
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure on both sides."""

    key: str
    """Key of a definition or of a signal (`metrics.layers`)."""
    unit: Unit
    left: Figure
    right: Figure
    p_value: float | None
    """Of such a difference by chance; None where it was not tested."""
    effect: float
    """Standardised: 0.2 is small, 0.5 middling, 0.8 large; positive is worse on the right."""
    change: Change
    tool_name: str | None = None
    """The tool that shows it more clearly than all together; None where none does."""

    @property
    def difference(self) -> float | None:
        """Right minus left, in the unit; None where a side has no value."""
        if self.left.value is None or self.right.value is None:
            return None
        return self.right.value - self.left.value


def cohens_h(one: float, other: float) -> float:
    """How far apart two rates are, standardised; positive when the other is higher.

    Source: Cohen 1988.
    """

    def arc(rate: float) -> float:
        return 2 * math.asin(math.sqrt(min(1.0, max(0.0, rate))))

    return arc(other) - arc(one)


def change_of(p_value: float | None, effect: float) -> Change:
    """The direction of an effect whose positive side is worse; no data where it was not tested."""
    if p_value is None:
        return Change.NO_DATA
    return Change.WORSE if effect > 0 else Change.BETTER
