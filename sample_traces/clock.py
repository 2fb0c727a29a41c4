"""The time of day in the world: that of a virtual loop, counted from when a task began."""

from datetime import datetime

from sample_traces.timeline import SHANGHAI
from sample_traces.units import NS_PER_SECOND, US_PER_SECOND
from sample_traces.virtual_loop import VirtualLoop


class LoopClock:
    """Nanoseconds since the epoch, kept to whole microseconds as real clocks do.

    Args:
        loop: Whose time it is.
        start_ns: When the loop was at 0.
    """

    def __init__(self, loop: VirtualLoop, start_ns: int) -> None:
        self._loop = loop
        self._start_ns = start_ns

    @property
    def now_ns(self) -> int:
        """Now."""
        return self._start_ns + round(self._loop.time() * US_PER_SECOND) * 1000

    def advance_ms(self, ms: float) -> None:
        """Let time pass while code runs."""
        self._loop.advance(round(ms * 1000) / US_PER_SECOND)

    def moment(self) -> datetime:
        """Now, to the second, which is what a tool's answer is stamped with."""
        return datetime.fromtimestamp(self.now_ns // NS_PER_SECOND, SHANGHAI)
