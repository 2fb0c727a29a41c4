"""An event loop whose time passes only when nothing is left to do: then it jumps to the next timer.

Whatever awaits `asyncio.sleep` or `asyncio.timeout` runs at once and sees the times it would have
seen. Work in threads is not waited for: their time is real.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at 0 seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass while code runs, as if it had taken that long."""
        self._now += seconds


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self._loop.advance(timeout)
        return ready


def run_virtually(main: Coroutine[Any, Any, _T]) -> _T:
    """What a coroutine returns, run on a loop of its own without waiting."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
