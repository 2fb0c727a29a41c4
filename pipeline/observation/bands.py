"""Thresholds as half-open intervals that cover the number line: no gap, no overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from pipeline.observation.expression import Number, exact
from pipeline.observation.fragment import Words


@dataclass(frozen=True, slots=True)
class Band:
    """One interval with the code it stands for; None bounds are open to infinity."""

    low: Fraction | None
    includes_low: bool
    high: Fraction | None
    includes_high: bool
    code: str
    words: Words

    def holds(self, number: Fraction) -> bool:
        """Whether the number lies inside."""
        above = self.low is None or number > self.low or (self.includes_low and number == self.low)
        below = (
            self.high is None or number < self.high or (self.includes_high and number == self.high)
        )
        return above and below


def band_of(bands: Sequence[Band], number: Number) -> Band:
    """The one band that holds the number; bands that passed `cover_problem` always have one."""
    value = exact(number)
    return next(band for band in bands if band.holds(value))


def cover_problem(bands: Sequence[Band]) -> str | None:
    """Why the bands, in their order, do not cover the line exactly once; None when they do."""
    if not bands:
        return "no interval"
    if bands[0].low is not None:
        return f"gap below {float(bands[0].low):g}"
    for lower, upper in pairwise(bands):
        problem = _seam_problem(lower, upper)
        if problem is not None:
            return problem
    high = bands[-1].high
    return None if high is None else f"gap above {float(high):g}"


def _seam_problem(lower: Band, upper: Band) -> str | None:
    if lower.high is None or upper.low is None:
        return f"overlap of {lower.code} and {upper.code}"
    if lower.low is not None and lower.high <= lower.low:
        return f"{lower.code} is empty"
    if lower.high != upper.low:
        word = "gap" if lower.high < upper.low else "overlap"
        return f"{word} between {float(lower.high):g} and {float(upper.low):g}"
    if lower.includes_high == upper.includes_low:
        word = "overlap" if lower.includes_high else "gap"
        return f"{word} at {float(lower.high):g}"
    return None
