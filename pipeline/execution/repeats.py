"""Writes whose outcome nobody knows: none is sent again, however the model asks (S3 §4.1).

What it was told is advice; a model may ignore it. Kept in memory: another process does not know.
"""

from collections import OrderedDict
from typing import Final

from pipeline.execution.calls import Call

MAX_KEPT: Final = 10_000


class UnknownWrites:
    """By task, tool and arguments: a new step of the same write is the same write.

    Args:
        max_kept: The oldest are forgotten beyond.
    """

    def __init__(self, max_kept: int = MAX_KEPT) -> None:
        self._max_kept = max_kept
        self._kept: OrderedDict[tuple[str, str], None] = OrderedDict()

    def add(self, call: Call) -> None:
        """A call may have happened, and must not happen twice."""
        self._kept[call.effect] = None
        while len(self._kept) > self._max_kept:
            self._kept.popitem(last=False)

    def has(self, call: Call) -> bool:
        """Whether an equal call of the same task may have happened."""
        return call.effect in self._kept
