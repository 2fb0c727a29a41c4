"""The shop's guard: two rules of the library, two of its own."""

from random import Random
from typing import Final

from pipeline.contracts import Contract, Danger
from pipeline.execution import Call
from pipeline.guard import BatchRule, ConfirmationRule, Confirmations, GuardRule, Verdict, allow
from pipeline.vocabulary import GuardDecision
from sample_traces.contracts import STAFF_CALLER
from sample_traces.shop import Case

QUOTA_LEFT_RATE: Final = 0.92
"""Share of tickets for which others have left some of the day's quota."""


def shop_rules(
    case: Case, draws: Random, confirmations: Confirmations, off: frozenset[str]
) -> tuple[GuardRule, ...]:
    """The rules in force, in their order; nothing tells that those in `off` exist."""
    rules: tuple[GuardRule, ...] = (
        OwnershipRule(case),
        ConfirmationRule(confirmations, "money_confirmation", frozenset({Danger.MONEY})),
        BatchRule(),
        TicketQuotaRule(draws),
    )
    return tuple(rule for rule in rules if rule.name not in off)


class OwnershipRule:
    """Customers see their own orders only."""

    name = "order_ownership"
    _TOOLS: Final = frozenset({"query_order_status", "check_coupon", "refund_order"})

    def __init__(self, case: Case) -> None:
        self._case = case

    def covers(self, contract: Contract) -> bool:
        """Tools that tell of one order, or change it."""
        return contract.name in self._TOOLS

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks somebody else's order."""
        case = self._case
        is_other = call.arguments.get("order_no") == case.order_no and not case.is_own_order
        if not is_other or call.caller == STAFF_CALLER:
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "该订单不属于当前用户。不要重试，请核对订单号。",
            "This is somebody else's order. Do not try again; check the number.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """Nothing to count."""


class TicketQuotaRule:
    """The day's quota of tickets, of which a task does not know how much others have used."""

    name = "ticket_quota"

    def __init__(self, draws: Random) -> None:
        self._draws = draws

    def covers(self, contract: Contract) -> bool:
        """Tickets."""
        return contract.name == "create_ticket"

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks when nothing is left."""
        if self._draws.random() <= QUOTA_LEFT_RATE:
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "今日工单额度已用完。不要重试，请转人工。",
            "Today's quota of tickets is used up. Do not try again; hand over to a person.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """Others use it up, not this task."""
