"""The same write asked for again as a new step: its new key would let it happen twice (S3 §4.1)."""

from collections import OrderedDict
from typing import Final

from pipeline.contracts import Contract
from pipeline.execution import Call
from pipeline.guard.verdict import Verdict, allow
from pipeline.vocabulary import GuardDecision

MAX_KEPT: Final = 10_000


class DuplicateWriteRule:
    """One task makes one write once: equal arguments under another step are stopped.

    A repeat within its own step keeps its idempotency key and is let through.

    Args:
        max_kept: Writes that are remembered; the oldest are forgotten beyond.
    """

    name = "duplicate_write"

    def __init__(self, max_kept: int = MAX_KEPT) -> None:
        self._max_kept = max_kept
        self._steps: OrderedDict[tuple[str, str], int] = OrderedDict()

    def covers(self, contract: Contract) -> bool:
        """Whatever is not declared to read."""
        return not contract.is_read

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks a write that this task has sent as another step."""
        if self._steps.get(call.effect, call.step_index) == call.step_index:
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "本任务已提交过同样的操作。不要重复提交，请先查询其结果。",
            "This task has already done the same. Do not do it again; look up what came of it.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """The write is on its way."""
        self._steps[call.effect] = call.step_index
        while len(self._steps) > self._max_kept:
            self._steps.popitem(last=False)
