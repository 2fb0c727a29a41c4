"""How far two shares of the same cases are apart, with an interval."""

import math

from metrics.intervals import LEVEL, wilson
from metrics.values import Interval


def paired_difference(both: int, only_before: int, only_after: int, neither: int) -> Interval:
    """95 % interval of the share right after minus the share right before, over the same cases.

    Newcombe's square-and-add of two Wilson intervals with the correlation of before and after.

    Args:
        both: Right before and after.
        only_before: Right before, wrong after.
        only_after: Wrong before, right after.
        neither: Wrong before and after.

    Raises:
        ZeroDivisionError: No case.

    Source: Newcombe 1998 (Statistics in Medicine 17, 2635-2650), method 10.
    """
    n = both + only_before + only_after + neither
    before, after = (both + only_before) / n, (both + only_after) / n
    of_before, of_after = wilson(before, n), wilson(after, n)
    phi = _correlation(both, only_before, only_after, neither)

    def reach(up: float, down: float) -> float:
        return math.sqrt(max(0.0, up**2 - 2 * phi * up * down + down**2))

    difference = after - before
    low = difference - reach(after - of_after.low, of_before.high - before)
    high = difference + reach(of_after.high - after, before - of_before.low)
    return Interval(max(-1.0, low), min(1.0, high), LEVEL, "newcombe")


def _correlation(both: int, only_before: int, only_after: int, neither: int) -> float:
    """Phi of before and after, drawn towards none by half a case where it is positive."""
    n = both + only_before + only_after + neither
    spread = (
        (both + only_before)
        * (only_after + neither)
        * (both + only_after)
        * (only_before + neither)
    )
    if spread == 0:
        return 0.0
    product: float = both * neither - only_before * only_after
    if product > 0:
        product = max(0.0, product - n / 2)
    return product / math.sqrt(spread)
