"""When the writer derives again: soon after what is new, but never for most of the time.

Half of what a derive of thousands of spans costs it costs for one span too. So it comes the less
often the more there is to derive: at a rate of spans that is twice `_STEADY_RATE`, half as often.
"""

from math import sqrt
from typing import Final

__all__ = ["DeriveTurns"]

_STEADY_RATE: Final = 2_000
"""Records a second at which derives begin a second after each other."""
_MOST_SECONDS: Final = 2.0
"""From the start of one derive to the start of the next, at most, however much comes."""


class DeriveTurns:
    """The times at which derives begin; seconds of one clock that only goes forward.

    Args:
        least_seconds: From the start of one derive to the start of the next, at least.
        share: The part of the time that deriving may take.
    """

    def __init__(self, least_seconds: float, share: float) -> None:
        self._least = self._every = least_seconds
        self._share = share
        self._began = float("-inf")
        self._taken = float("inf")
        self._n_records = 0

    def came(self, n_records: int) -> None:
        """So many more records have to be derived."""
        self._n_records += n_records

    def wait(self, now: float, *, is_more_coming: bool) -> float:
        """How long until the next may begin; 0 when it may now, as the first may after a rest.

        Args:
            now: When.
            is_more_coming: Whether more is known to come; otherwise there is nothing to wait for.
        """
        # So many come within t seconds at a rate at which derives begin t seconds after each other.
        gather = sqrt(self._n_records / _STEADY_RATE) if is_more_coming else 0.0
        every = max(self._every, min(gather, _MOST_SECONDS))
        return max(self._began + every - now, 0.0)

    def begin(self, now: float) -> None:
        """One begins, of all that came."""
        self._began = now
        self._n_records = 0

    def end(self, now: float, *, is_backlog: bool) -> None:
        """It has ended.

        The shorter of the last two says how long one takes: a checkpoint, which takes seconds, falls
        into the commit of one of many.

        Args:
            now: When.
            is_backlog: Whether there was nothing to derive, or there is more: then there is only the
                share of others to wait for.
        """
        taken = now - self._began
        usual, self._taken = min(taken, self._taken), taken
        self._every = max(0.0 if is_backlog else self._least, usual / self._share)
