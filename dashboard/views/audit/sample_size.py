"""How many decisions an audit needs before it can tell a bad accuracy from the limit."""

from functools import cache
from typing import Final

from scipy import special

ALPHA: Final = 0.05
"""Chance to call an accuracy at the limit too low."""
POWER: Final = 0.8
"""Chance to notice one that is."""
_MAX_N: Final = 20_000


@cache
def n_to_tell(limit: float, truth: float) -> int | None:
    """The number of independent decisions from which on a test tells `truth` from `limit`.

    One-sided exact binomial test that the accuracy is below `limit`; the power does not fall under
    80 % again for any larger number. None when it takes more than 20 000.

    Args:
        limit: Accuracy to be reached, in (0, 1).
        truth: The accuracy there is, below the limit.

    Raises:
        ValueError: Not 0 < truth < limit < 1.

    Source: sample sizes of audits (exact binomial, alpha .05, power .8): 381 for .80, 110 for .75.
    """
    if not 0 < truth < limit < 1:
        raise ValueError(f"{truth} to tell from {limit}: expected 0 < truth < limit < 1")
    low, high = 1, 64
    while not _suffices(high, limit, truth):
        low, high = high, high * 2
        if high > _MAX_N:
            return None
    last_short = max((n for n in range(low, 2 * high) if not _suffices(n, limit, truth)), default=0)
    return last_short + 1


def _suffices(n: int, limit: float, truth: float) -> bool:
    """Whether the test of n decisions notices `truth` often enough."""
    at_most = int(special.bdtrik(ALPHA, n, limit))
    # bdtrik is continuous: step to the largest count whose probability does not exceed alpha.
    while at_most >= 0 and special.bdtr(at_most, n, limit) > ALPHA:
        at_most -= 1
    while special.bdtr(at_most + 1, n, limit) <= ALPHA:
        at_most += 1
    return at_most >= 0 and float(special.bdtr(at_most, n, truth)) >= POWER
