"""Whether an agent goes round in circles: by step, and by what it asks for (S4 §3.1, §5.1).

A step that is planned again under its own id is seen by the id; one that is planned again under a
new id only by tool and arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pipeline.execution import arguments_hash

MAX_PERIOD: Final = 6
REPEATS: Final = 3
"""Rounds of one cycle, the first included, after which an agent is stopped."""


@dataclass(slots=True)
class LoopGuard:
    """What was asked for in one task so far.

    Args:
        repeats: Rounds of a cycle that are one too many.
    """

    repeats: int = REPEATS
    _asked: list[str] = field(default_factory=list)
    _done: set[int] = field(default_factory=set)

    def has_done(self, step_index: int) -> bool:
        """Whether a step of this id has already worked: it must not run again."""
        return step_index in self._done

    def done(self, step_index: int) -> None:
        """A step has worked."""
        self._done.add(step_index)

    def asks(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """One more call is asked for."""
        self._asked.append(arguments_hash(tool, arguments))

    @property
    def period(self) -> int | None:
        """How many calls one round of the present cycle has; None when there is no cycle."""
        return cycle_period(self._asked, self.repeats)


def cycle_period(asked: Sequence[str], repeats: int = REPEATS) -> int | None:
    """The smallest period with which a row of calls ends `repeats` times; None without one.

    Source: S4 §5.1; periods up to six calls are looked for.
    """
    for period in range(1, MAX_PERIOD + 1):
        tail = asked[-period * repeats :]
        if len(tail) < period * repeats:
            return None
        if all(tail[at] == tail[at % period] for at in range(len(tail))):
            return period
    return None
