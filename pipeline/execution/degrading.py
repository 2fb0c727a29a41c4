"""What answers in place of a tool that is down: a declared default, another tool, a person (S4 §3.2).

Silent towards the user, never towards the trace: the level is on the span and in the snapshot.
Never for a write: a default answer would pass for success.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pipeline.contracts import Contract
from pipeline.execution.calls import Adapter, Call, Request
from pipeline.execution.errors import ToolError
from pipeline.execution.telemetry import trace_headers
from pipeline.execution.trying import Tried, asked

L1: Final = "L1"
"""A declared default."""
L2: Final = "L2"
"""Another tool, such as a cache."""
L3: Final = "L3"
"""Handed to people."""
HANDOVER_AFTER: Final = 3
"""Defaults in a row for one tool, then people are told."""
_log = logging.getLogger("pipeline.execution")


@dataclass(frozen=True, slots=True)
class StandIn:
    """What a failed call is answered with."""

    level: str
    answer: Tried | None
    """None where people have to take over."""


class Degrading:
    """Counts defaults in a row, by tool.

    Args:
        hand_over: Told the tool when people have to take over; writes a warning when None.
    """

    def __init__(self, hand_over: Callable[[str], None] | None = None) -> None:
        self._hand_over = hand_over or _warn
        self._n_defaults: Counter[str] = Counter()

    def answered(self, contract: Contract) -> None:
        """The tool itself answered."""
        self._n_defaults.pop(contract.name, None)

    async def stand_in(
        self,
        call: Call,
        contract: Contract,
        other: Contract | None,
        adapter: Adapter | None,
        tried: Tried,
        left_seconds: float,
    ) -> StandIn | None:
        """What answers; None for a write, and for a tool without a fallback.

        Args:
            call: The call.
            contract: Of the tool that is down.
            other: Contract of the tool that stands in (L2); None without one.
            adapter: Of that tool.
            tried: How the tries ended.
            left_seconds: How long the other tool may take.
        """
        if contract.fallback is None or not contract.is_read:
            return None
        if contract.fallback.tool is None:
            return self._default(contract, tried)
        if other is None or adapter is None or not other.is_read or left_seconds <= 0:
            return None
        answer = await _answer(call, other, adapter, tried, left_seconds)
        return None if answer is None else StandIn(L2, answer)

    def _default(self, contract: Contract, tried: Tried) -> StandIn:
        self._n_defaults[contract.name] += 1
        if self._n_defaults[contract.name] > HANDOVER_AFTER:
            self._hand_over(contract.name)
            return StandIn(L3, None)
        value = None if contract.fallback is None else contract.fallback.default
        return StandIn(L1, Tried(value, None, tried.n_attempts, tried.http_status))


async def _answer(
    call: Call, other: Contract, adapter: Adapter, tried: Tried, left_seconds: float
) -> Tried | None:
    """Of the other tool, asked once."""
    request = Request(other, call.arguments, call.idempotency_key, left_seconds, trace_headers())
    try:
        value = await asked(adapter, request)
    except ToolError:
        return None
    return Tried(value, None, tried.n_attempts, tried.http_status)


def _warn(tool: str) -> None:
    _log.warning("%s: %d defaults in a row; people have to take over", tool, HANDOVER_AFTER)
