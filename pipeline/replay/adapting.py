"""Recorded upstream answers through a changed adapter: does the tool still answer the same?"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeAlias

from pipeline.replay.arguments import is_equal
from pipeline.replay.case import Case
from pipeline.replay.outcome import Outcome

Adapter: TypeAlias = Callable[[list[dict[str, Any]]], Any]
"""Given what the upstream did, in the words of a case's `recorded`, the tool's answer as JSON."""


def play_adapter(case: Case, adapter: Adapter | None) -> Outcome:
    """The answer that the adapter makes of the recorded upstream; right when it is the expected one.

    Without an adapter the recorded answer stands: that is what a changed one is compared with.
    """
    if case.expected is None:
        return Outcome(None, skipped="nobody said what is right")
    wanted = case.expected.answer
    if adapter is None:
        return Outcome(is_right=True, shown={"answer": wanted})
    answer = adapter([asdict(item) for item in case.recorded])
    problems = () if is_equal(answer, wanted) else ("the answer is another one",)
    return Outcome(is_right=not problems, shown={"answer": answer}, problems=problems)
