"""When the writer derives again: soon after what is new, but never for most of the time."""

__all__ = ["DeriveTurns"]


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

    def wait(self, now: float) -> float:
        """How long until the next may begin; 0 when it may now, as the first may after a rest."""
        return max(self._began + self._every - now, 0.0)

    def begin(self, now: float) -> None:
        """One begins."""
        self._began = now

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
