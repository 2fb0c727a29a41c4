"""Daily quotas: what burns slowly passes every limit by the minute (S3 §6.2)."""

from collections import Counter
from collections.abc import Callable
from datetime import date, datetime

from pipeline.contracts import Contract


class DailyQuotas:
    """Counts calls of each tool, and of each caller, on one calendar day.

    Args:
        now: An aware time; its zone says when a day ends.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._day: date | None = None
        self._n: Counter[tuple[str, str | None]] = Counter()

    def is_free(self, contract: Contract, caller: str) -> bool:
        """Whether one more call is within both quotas; counts nothing."""
        self._turn_the_day()
        quotas = contract.quotas
        return _below(self._n[contract.name, None], quotas.per_day) and _below(
            self._n[contract.name, caller], quotas.caller_per_day
        )

    def take(self, contract: Contract, caller: str) -> None:
        """Count one call."""
        self._turn_the_day()
        self._n[contract.name, None] += 1
        self._n[contract.name, caller] += 1

    def _turn_the_day(self) -> None:
        """A later day begins anew; a clock set back to an earlier one does not."""
        today = self._now().date()
        if self._day is None or today > self._day:
            self._day = today
            self._n.clear()


def _below(n: int, limit: int | None) -> bool:
    return limit is None or n < limit
