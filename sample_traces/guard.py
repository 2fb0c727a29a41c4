"""The guard: which rules look at a call, and what each decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from pipeline.vocabulary import GuardDecision
from sample_traces.intents import Call
from sample_traces.shop import Case


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of one call."""

    rule: str
    decision: GuardDecision
    reason: str | None = None
    """Short and actionable: it is what the model reads when the call is stopped."""


def evaluate(
    call: Call, case: Case, caller: str, draws: Random, off: frozenset[str] = frozenset()
) -> list[Verdict]:
    """The verdicts of every rule that covers the call, in order, up to the first that stops it.

    Rules named in `off` are not evaluated: nothing tells that they exist.
    """
    found = []
    for rule in _COVERAGE.get(call.tool, ()):
        if rule in off:
            continue
        verdict = _RULES[rule](rule, call, case, caller, draws)
        found.append(verdict)
        if verdict.decision is not GuardDecision.ALLOW:
            break
    return found


def stop_text(verdict: Verdict) -> str:
    """What the model reads in place of a result."""
    return f"已拦截（{verdict.rule}）：{verdict.reason}"


def _order_ownership(rule: str, call: Call, case: Case, caller: str, draws: Random) -> Verdict:
    is_other = call.arguments.get("order_no") == case.order_no and not case.is_own_order
    if is_other and caller != "ops_console":
        return Verdict(rule, GuardDecision.BLOCK, "该订单不属于当前用户。不要重试，请核对订单号。")
    return Verdict(rule, GuardDecision.ALLOW)


def _money_confirmation(rule: str, call: Call, case: Case, caller: str, draws: Random) -> Verdict:
    if "confirm_token" in call.arguments:
        return Verdict(rule, GuardDecision.ALLOW)
    return Verdict(rule, GuardDecision.ESCALATE, "退款需用户确认。请先向用户确认并取得令牌。")


def _batch_export(rule: str, call: Call, case: Case, caller: str, draws: Random) -> Verdict:
    if call.arguments.get("scope") == "all":
        return Verdict(rule, GuardDecision.BLOCK, "批量导出超出授权。请把范围缩小到一天。")
    return Verdict(rule, GuardDecision.ALLOW)


def _ticket_quota(rule: str, call: Call, case: Case, caller: str, draws: Random) -> Verdict:
    if draws.random() > 0.92:
        return Verdict(rule, GuardDecision.BLOCK, "今日工单额度已用完。不要重试，请转人工。")
    return Verdict(rule, GuardDecision.ALLOW)


_RULES: Mapping[str, Callable[[str, Call, Case, str, Random], Verdict]] = MappingProxyType(
    {
        "order_ownership": _order_ownership,
        "money_confirmation": _money_confirmation,
        "batch_export": _batch_export,
        "ticket_quota": _ticket_quota,
    }
)
_COVERAGE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query_order_status": ("order_ownership",),
        "check_coupon": ("order_ownership",),
        "refund_order": ("order_ownership", "money_confirmation"),
        "create_ticket": ("ticket_quota",),
        "export_orders": ("batch_export",),
    }
)
"""Which rules look at which tool."""
