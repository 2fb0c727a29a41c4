"""Which step of its task a call is, so that a repeat of a failed call keeps its key (S3 §4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pipeline.execution import arguments_hash
from pipeline.vocabulary import CallStatus

WINDOW: Final = 3
"""How many calls back a failure still counts as the same step."""


@dataclass(slots=True)
class _Asked:
    tool: str
    key: str
    step_index: int
    status: CallStatus = CallStatus.PENDING


@dataclass(slots=True)
class Steps:
    """Numbers the calls of one task."""

    _asked: list[_Asked] = field(default_factory=list)
    _n: int = 0

    def number(self, tool: str, arguments: Mapping[str, Any]) -> int:
        """The step of the next call: that of the failed call it repeats, else a new one.

        A repeat has equal arguments and follows within three calls, no other call of the tool in
        between.
        """
        key = arguments_hash(tool, arguments)
        before = next((item for item in reversed(self._asked[-WINDOW:]) if item.tool == tool), None)
        is_repeat = before is not None and before.status is CallStatus.ERROR and before.key == key
        if before is not None and is_repeat:
            index = before.step_index
        else:
            index, self._n = self._n, self._n + 1
        self._asked.append(_Asked(tool, key, index))
        return index

    def settle(self, step_index: int, status: CallStatus) -> None:
        """The latest call of a step has ended."""
        for item in reversed(self._asked):
            if item.step_index == step_index:
                item.status = status
                return
