"""The rules that every deployment needs; a team adds its own beside them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.contracts import CONFIRMED, Contract, Danger, is_offered
from pipeline.execution import Call
from pipeline.guard.buckets import Buckets
from pipeline.guard.confirmation import Confirmations, TokenProblem
from pipeline.guard.daily import DailyQuotas
from pipeline.guard.verdict import Verdict, allow
from pipeline.vocabulary import GuardDecision

MAX_BATCH: Final = 1000
_EVERYTHING: Final = frozenset({"all", "*", "everything", "全部", "所有"})


class DangerRule:
    """Only the dangers that a caller may use (S3 §7.1).

    Args:
        allowed: By caller; a caller that is not here may use `otherwise`.
        otherwise: Reads and plain writes by default.
    """

    name = "danger_level"

    def __init__(
        self,
        allowed: Mapping[str, frozenset[Danger]],
        otherwise: frozenset[Danger] = frozenset({Danger.READ, Danger.WRITE}),
    ) -> None:
        self._allowed = allowed
        self._otherwise = otherwise

    def covers(self, contract: Contract) -> bool:
        """Every tool."""
        return True

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks a danger that the caller may not use, and one that is not declared."""
        allowed = self._allowed.get(call.caller, self._otherwise)
        danger = contract.danger or Danger.READ
        if is_offered(contract) and danger in allowed:
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "当前操作超出授权范围。不要重试，停止并告知用户。",
            "This is not permitted. Do not try again; stop and tell the user.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """Nothing to count."""


class ConfirmationRule:
    """Deletes, bulk changes and money need a token that a person's confirmation gave.

    Args:
        confirmations: Knows which tokens are good.
        name: As events name it.
        dangers: Which need one.
    """

    def __init__(
        self,
        confirmations: Confirmations,
        name: str = "confirmation",
        dangers: frozenset[Danger] = CONFIRMED,
    ) -> None:
        self.name = name
        self._confirmations = confirmations
        self._dangers = dangers

    def covers(self, contract: Contract) -> bool:
        """Tools of a danger that needs confirmation."""
        return contract.danger in self._dangers

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Escalates a call without a token; blocks one whose token is no good."""
        problem = self._confirmations.problem(call)
        if problem is None:
            return allow(self.name)
        if problem in (TokenProblem.MISSING, TokenProblem.EXPIRED):
            return Verdict(
                self.name,
                GuardDecision.ESCALATE,
                "该操作需用户确认。请先向用户确认并取得令牌。",
                "This needs the user's confirmation. Ask for it first.",
            )
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "确认令牌无效。不要重试，请重新向用户确认。",
            "The confirmation is not valid. Do not try again; ask the user anew.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """The token is used up."""
        self._confirmations.use(call)


class RateRule:
    """Token buckets by tool and by caller."""

    name = "rate_limit"

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets

    def covers(self, contract: Contract) -> bool:
        """Tools with a rate in their contract."""
        quotas = contract.quotas
        return quotas.peak_per_second is not None or quotas.caller_per_second is not None

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks what comes too fast."""
        if self._buckets.is_free(contract, call.caller):
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "调用过于频繁，请稍后再试一次。",
            "Too many calls. Try once more later.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """One token of each bucket."""
        self._buckets.take(contract, call.caller)


class QuotaRule:
    """Daily quotas by tool and by caller."""

    name = "daily_quota"

    def __init__(self, quotas: DailyQuotas) -> None:
        self._quotas = quotas

    def covers(self, contract: Contract) -> bool:
        """Tools with a daily quota in their contract."""
        return contract.quotas.per_day is not None or contract.quotas.caller_per_day is not None

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks what is over the day's quota."""
        if self._quotas.is_free(contract, call.caller):
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            "今日额度已用完。不要重试，请转人工。",
            "Today's quota is used up. Do not try again; hand over to a person.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """One call more."""
        self._quotas.take(contract, call.caller)


class BatchRule:
    """No export or change of everything at once (S3 §1.1: is a bulk export beyond authority?).

    Args:
        max_items: The most that a list or a limit in the arguments may name.
        name: As events name it.
    """

    def __init__(self, max_items: int = MAX_BATCH, name: str = "batch_export") -> None:
        self.name = name
        self._max_items = max_items

    def covers(self, contract: Contract) -> bool:
        """Bulk tools."""
        return contract.danger is Danger.BULK

    def evaluate(self, call: Call, contract: Contract) -> Verdict:
        """Blocks arguments that ask for everything, or for too many; none at all is everything."""
        values = list(_values(call.arguments))
        is_everything = not values or any(
            isinstance(value, str) and value.strip().lower() in _EVERYTHING for value in values
        )
        if not is_everything and max(map(self._size, values)) <= self._max_items:
            return allow(self.name)
        return Verdict(
            self.name,
            GuardDecision.BLOCK,
            f"批量操作超出授权。请缩小范围，单次不超过 {self._max_items} 条。",
            f"This asks for too much at once. Narrow it to at most {self._max_items}.",
        )

    def admitted(self, call: Call, contract: Contract) -> None:
        """Nothing to count."""

    def _size(self, value: Any) -> float:
        if isinstance(value, list | tuple):
            return len(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number else 0


def _values(value: Any) -> Iterator[Any]:
    """The arguments, with lists as they are and everything in them."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _values(inner)
        return
    yield value
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _values(inner)
