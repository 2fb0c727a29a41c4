"""The guard: every rule that covers a call looks at it, and every look is an event (S3 §7.1, §7.2).

It runs between the check of the arguments and the first try. A call that is stopped has no
`execute_tool` span; the model reads the reason in place of a result.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline import attributes as names
from pipeline.contracts import Contract
from pipeline.execution import Call, CallResult, Masker
from pipeline.guard.verdict import PHASE, GuardRule, Verdict
from pipeline.vocabulary import CallStatus

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


class Guard:
    """Looks at calls by rules, in their order, up to the first that stops the call.

    Args:
        rules: Those that count come after those that only judge; nothing is counted for a call
            that another rule stops.
        tracer: Where the span of each evaluation goes; the global provider's when None.
        language: Of the reasons, `zh` or `en`.
    """

    def __init__(
        self, rules: Sequence[GuardRule], tracer: "Tracer | None" = None, language: str = "zh"
    ) -> None:
        self._rules = tuple(rules)
        self._tracer = tracer or _default_tracer()
        self._language = language

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The rules in force."""
        return tuple(rule.name for rule in self._rules)

    async def stop(self, call: Call, contract: Contract, masker: Masker) -> CallResult | None:
        """What the model reads in place of a result; None when nothing stops the call.

        Between the looks and the counting nothing else runs, so two calls cannot share one token.
        """
        verdicts = self.evaluate(call, contract, masker)
        if verdicts and verdicts[-1].is_hit:
            return self._stopped(call, contract, masker, verdicts)
        for rule in self._rules:
            if rule.covers(contract):
                rule.admitted(call, contract)
        return None

    def evaluate(
        self,
        call: Call,
        contract: Contract,
        masker: Masker | None = None,
        *,
        is_synthetic: bool = False,
    ) -> tuple[Verdict, ...]:
        """The verdicts up to the first that stops the call; counts nothing.

        Args:
            call: The call.
            contract: Of its tool.
            masker: Takes sensitive values out of reasons.
            is_synthetic: Marks the events of a canary.
        """
        found: list[Verdict] = []
        for rule in self._rules:
            if not rule.covers(contract):
                continue
            found.append(self._told(rule, call, contract, masker, is_synthetic=is_synthetic))
            if found[-1].is_hit:
                break
        return tuple(found)

    def _told(
        self,
        rule: GuardRule,
        call: Call,
        contract: Contract,
        masker: Masker | None,
        *,
        is_synthetic: bool,
    ) -> Verdict:
        told = {
            names.GUARD_RULE: rule.name,
            names.GUARD_PHASE: PHASE,
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.call.id": call.call_id,
        }
        attributes = {name: value for name, value in told.items() if value}
        with self._tracer.start_as_current_span(
            f"guard {rule.name}", attributes=attributes
        ) as span:
            verdict = rule.evaluate(call, contract)
            span.set_attribute(names.GUARD_DECISION, verdict.decision.value)
            if (reason := verdict.reason(self._language)) is not None:
                shown = reason if masker is None else masker.text(reason)
                span.set_attribute(names.GUARD_REASON, shown)
            if is_synthetic:
                span.set_attribute(names.GUARD_SYNTHETIC, True)
        return verdict

    def _stopped(
        self, call: Call, contract: Contract, masker: Masker, verdicts: tuple[Verdict, ...]
    ) -> CallResult:
        last = verdicts[-1]
        reason = masker.text(last.reason(self._language) or "")
        is_chinese = self._language == "zh"
        text = (
            f"已拦截（{last.rule}）：{reason}" if is_chinese else f"Stopped ({last.rule}): {reason}"
        )
        return CallResult(
            call,
            CallStatus.BLOCKED,
            text,
            contract_version=contract.version,
            verdicts=verdicts,
        )


def _default_tracer() -> "Tracer":
    from opentelemetry import trace

    return trace.get_tracer("pipeline.guard")
