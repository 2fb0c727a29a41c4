"""How the parts of an audit frame share a draw: in proportion, equally, or by Neyman's rule."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_PRIOR_N: Final = 2.0
"""Judged decisions that the rate of the whole frame counts for in a part: none is surely 0 or 1."""


class Stratum(StrEnum):
    """By what a frame is parted."""

    TOOL = "tool"
    """The chosen tool."""
    VERSION = "version"
    """The version of its contract."""
    SUSPICION = "suspicion"
    """Whether the trace hints that something went wrong."""


class Allocation(StrEnum):
    """How many of each part are drawn."""

    PROPORTIONAL = "proportional"
    """As many as its share of the frame."""
    EQUAL = "equal"
    """The same of each: best for a figure of each part."""
    NEYMAN = "neyman"
    """More where labels so far differ most: best for the one figure of all."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a frame as the draw sees it."""

    n_frame: int
    n_most: int
    """The most that can be drawn of it."""
    n_judged: int
    n_right: int


def shares(parts: Sequence[Part], allocation: Allocation) -> list[float]:
    """The weight of each part in the draw.

    Neyman: N_h times the standard deviation of right and wrong in h, whose rate is that of the
    labels so far, drawn towards the rate of the whole frame as two more labels would. Without any
    label this is the proportional allocation.

    Source: Neyman 1934; Cochran 1977, §5.5.
    """
    if allocation is Allocation.EQUAL:
        return [1.0] * len(parts)
    if allocation is Allocation.PROPORTIONAL:
        return [float(part.n_frame) for part in parts]
    n_judged, n_right = sum(p.n_judged for p in parts), sum(p.n_right for p in parts)
    overall = (n_right + 1) / (n_judged + 2)
    rates = [(p.n_right + _PRIOR_N * overall) / (p.n_judged + _PRIOR_N) for p in parts]
    return [
        part.n_frame * math.sqrt(rate * (1 - rate)) for part, rate in zip(parts, rates, strict=True)
    ]


def quotas(n: int, parts: Sequence[Part], allocation: Allocation) -> list[int]:
    """How many to draw of each part: at least one, at most all, n together as far as there are.

    A part without a draw would have no chance to be seen, and the figure would not be of the frame.
    Whole numbers by Sainte-Laguë's method.

    Args:
        n: At least the number of parts.
        parts: None is empty.
        allocation: The rule.
    """
    weights = shares(parts, allocation)
    given = [1] * len(parts)
    waiting = [
        (-weight / 3, at) for at, weight in enumerate(weights) if given[at] < parts[at].n_most
    ]
    heapq.heapify(waiting)
    for _ in range(n - len(parts)):
        if not waiting:
            break
        _, at = heapq.heappop(waiting)
        given[at] += 1
        if given[at] < parts[at].n_most:
            heapq.heappush(waiting, (-weights[at] / (2 * given[at] + 1), at))
    return given


def n_to_double(n: int) -> int:
    """How many of n drawn decisions two people should label: 60, or 15 % where that is more.

    Source: evaluation practice; fewer than 60 pairs cannot tell a poor agreement from a good one.
    """
    return min(n, max(60, math.ceil(0.15 * n)))
