"""The same thing several times in a row."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

__all__ = ["IN_A_ROW", "Run", "runs"]

IN_A_ROW: Final = 3
"""S4 §3.2: three degradations in a row become a task for operations."""

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Run:
    """An unbroken run."""

    first: int
    """Place of its first item."""
    last: int
    """Place of its last item."""

    @property
    def n(self) -> int:
        """How many items it holds."""
        return self.last - self.first + 1


def runs(values: Iterable[_Key], wanted: _Key, at_least: int = IN_A_ROW) -> list[Run]:
    """Every longest run of `wanted` with so many items at least, in order."""
    found: list[Run] = []
    first: int | None = None
    place = -1
    for place, value in enumerate(values):
        if value == wanted:
            first = place if first is None else first
        else:
            found += _run(first, place - 1, at_least)
            first = None
    return found + _run(first, place, at_least)


def _run(first: int | None, last: int, at_least: int) -> list[Run]:
    is_long = first is not None and last - first + 1 >= at_least
    return [Run(first, last)] if first is not None and is_long else []
