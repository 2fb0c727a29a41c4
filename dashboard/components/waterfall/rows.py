"""The shape of what a waterfall draws."""

from typing import TypedDict

__all__ = ["WaterfallRows"]


class WaterfallRows(TypedDict):
    """One entry a row in each list; times in µs from the first start of the trace."""

    ids: list[str]
    parent: list[int]
    """Index of the row above, always smaller than the row's own; -1 for a root."""
    start: list[int | None]
    duration: list[int | None]
    name: list[int]
    """Index into `names`."""
    detail: list[int]
    """Tool or model, as an index into `names`; -1 when the name says it already."""
    role: list[int]
    state: list[str]
    """Empty for a whole span; else unfinished, untimed, reversed or missing."""
    names: list[str]
    roles: list[str]
    errors: list[int]
    cut: list[int]
    """Rows at which a cycle of parents was cut."""
    tries: list[tuple[int, int, int, int]]
    """Row, which calls it is a try of, the number of the try and of how many; only where there are several."""
    outside: list[tuple[int, int, int]]
    """Row, and by how many µs it begins before its parent and ends after it; only where it does."""
    idle: list[tuple[int, int]]
    """Stretches in which no span without children ran."""
    first: int
    """The row to open first: the earliest error without an error beneath it, else the top span."""
    total: int
    """Length of the trace in µs, at least 1."""
