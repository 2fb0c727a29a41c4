"""The guard: every rule that covers a call looks at it, and every look is an event (S3 §7.1, §7.2).

It runs between the check of the arguments and the first try. A call that is stopped has no
`execute_tool` span; the model reads the reason in place of a result.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pipeline import attributes as names
from pipeline.contracts import Contract
from pipeline.execution import Call, CallResult, Masker
from pipeline.guard.verdict import PHASE, GuardRule, Verdict, allow
from pipeline.vocabulary import CallStatus, GuardDecision

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


class Guard:
    """Looks at calls by rules, in their order, up to the first that stops the call.

    Args:
        rules: Those that count come after those that only judge; nothing is counted for a call
            that another rule stops.
        tracer: Where the span of each evaluation goes; the global provider's when None.
        language: Of the reasons, `zh` or `en`.
        confirm: Asks a person about a call that a rule escalated, while its task waits: the token
            that their yes gave, None for a no. The task's time goes on meanwhile. None leaves it to
            the model to ask.
    """

    def __init__(
        self,
        rules: Sequence[GuardRule],
        tracer: "Tracer | None" = None,
        language: str = "zh",
        *,
        confirm: Callable[[Call], Awaitable[str | None]] | None = None,
    ) -> None:
        self._rules = tuple(rules)
        self._confirm = confirm
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
        is_escalated = bool(verdicts) and verdicts[-1].decision is GuardDecision.ESCALATE
        if is_escalated and self._confirm is not None:
            token = await self._confirm(call)
            if token is not None:
                call = replace(call, confirm_token=token)
                verdicts = (*verdicts, *self.evaluate(call, contract, masker))
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
        canary_of: str | None = None,
    ) -> tuple[Verdict, ...]:
        """The verdicts up to the first that stops the call; counts nothing.

        Of a canary only two looks are events, both marked: that of the rule it was sent for, and
        that which stops it. Other rules let it pass rightly. Where its rule does not look at all,
        the event says that it let the canary pass.

        Args:
            call: The call.
            contract: Of its tool.
            masker: Takes sensitive values out of reasons.
            canary_of: The rule that the call was sent for as a canary; None for a real call.
        """
        found: list[Verdict] = []
        for rule in self._rules:
            if not rule.covers(contract) or _is_aside(rule, call, contract, canary_of):
                continue
            look = partial(rule.evaluate, call, contract)
            found.append(self._told(rule.name, look, call, masker, is_synthetic=bool(canary_of)))
            if found[-1].is_hit:
                break
        if canary_of is not None and not found:
            look = partial(allow, canary_of)
            found.append(self._told(canary_of, look, call, masker, is_synthetic=True))
        return tuple(found)

    def _told(
        self,
        rule: str,
        look: Callable[[], Verdict],
        call: Call,
        masker: Masker | None,
        *,
        is_synthetic: bool,
    ) -> Verdict:
        told = {
            names.GUARD_RULE: rule,
            names.GUARD_PHASE: PHASE,
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.call.id": call.call_id,
        }
        attributes = {name: value for name, value in told.items() if value}
        with self._tracer.start_as_current_span(f"guard {rule}", attributes=attributes) as span:
            verdict = look()
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


def _is_aside(rule: GuardRule, call: Call, contract: Contract, canary_of: str | None) -> bool:
    """Whether a rule is not what a canary was sent for, and lets it pass."""
    if canary_of in (None, rule.name):
        return False
    return not rule.evaluate(call, contract).is_hit


def _default_tracer() -> "Tracer":
    from opentelemetry import trace

    return trace.get_tracer("pipeline.guard")
