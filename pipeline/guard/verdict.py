"""What one rule says of one call, and what a rule is."""

from dataclasses import dataclass
from typing import Final, Protocol

from pipeline.contracts import Contract
from pipeline.execution import Call
from pipeline.vocabulary import GUARD_HITS, GuardDecision

PHASE: Final = "tool_input"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one rule about one call."""

    rule: str
    decision: GuardDecision
    reason_zh: str | None = None
    reason_en: str | None = None
    """Short, and with what to do: it is what the model reads when the call is stopped."""

    @property
    def is_hit(self) -> bool:
        """Whether it stops the call."""
        return self.decision in GUARD_HITS

    def reason(self, language: str) -> str | None:
        """In `zh` or `en`."""
        return self.reason_zh if language == "zh" else self.reason_en


class GuardRule(Protocol):
    """A rule in code: words in a prompt stop nobody (S3 §7.1)."""

    @property
    def name(self) -> str:
        """As events name it."""
        ...

    def covers(self, contract: Contract) -> bool:
        """Whether it looks at calls of this tool."""
        ...

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Judge a call; changes nothing."""
        ...

    def admitted(self, call: Call, contract: Contract) -> None:
        """Every rule let the call pass: count it, use up its token."""
        ...


def allow(rule: str) -> Verdict:
    """Nothing against it."""
    return Verdict(rule, GuardDecision.ALLOW)
