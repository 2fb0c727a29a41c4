"""One figure of a public benchmark, beside what is known of it."""

from dataclasses import dataclass
from typing import Final

__all__ = ["Figure"]

_NEAR: Final = 0.005
"""Known shares and means are published to two or three digits."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, and what is known of it."""

    name: str
    value: float | None
    known: float | None = None
    """None where nothing is."""
    note: str | None = None

    @property
    def is_other(self) -> bool:
        """Whether it is not what is known."""
        if self.known is None:
            return False
        return self.value is None or abs(self.value - self.known) > _tolerance(self.known)


def _tolerance(known: float) -> float:
    return 0.0 if float(known).is_integer() and known != 1 else _NEAR
