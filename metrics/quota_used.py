"""How much of a daily quota does each caller use? A slow burn keeps within every minute's limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from metrics.buckets import DAY_NS
from metrics.statements import Row, Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """Calls a day of one tool by one caller."""

    tool_name: str
    caller: str | None
    """None when the spans do not name it."""
    n_days: int
    """Days (UTC) with a call."""
    busiest_day_ns: int
    """Start of the day with most calls."""
    n_busiest: int
    n_newest: int
    """Calls on the newest day of the scope."""
    daily_quota: int | None
    """The contract's; None when nobody gave one."""

    @property
    def share(self) -> float | None:
        """Of the quota, what the busiest day took; None without a quota."""
        return self.n_busiest / self.daily_quota if self.daily_quota else None


def quota_used(
    database: Store, scope: Scope, quotas: Mapping[str, int] | None = None
) -> tuple[QuotaUse, ...]:
    """Every tool and caller, most calls on one day first; empty without calls.

    Args:
        database: The store.
        scope: Its period and filters.
        quotas: Daily quota by tool, from the contracts.

    Source: S3 §6.2, quotas by day beside those by minute.
    """
    known = quotas or {}
    rows = answer(database, "quota_used", scope)
    newest = (scope.end_time_ns - 1) // DAY_NS * DAY_NS
    found = [
        _use(tool, caller, list(days), newest, known.get(tool))
        for (tool, caller), days in groupby(rows, key=_owner)
    ]
    return tuple(sorted(found, key=lambda use: (-use.n_busiest, use.tool_name, use.caller or "")))


def _owner(row: Row) -> tuple[str, str]:
    return row["tool_name"], row["caller"]


def _use(tool: str, caller: str, days: list[Row], newest: int, quota: int | None) -> QuotaUse:
    busiest = max(days, key=lambda row: (row["n_calls"], -row["day_time_ns"]))
    return QuotaUse(
        tool_name=tool,
        caller=caller or None,
        n_days=len(days),
        busiest_day_ns=int(busiest["day_time_ns"]),
        n_busiest=int(busiest["n_calls"]),
        n_newest=sum(int(row["n_calls"]) for row in days if row["day_time_ns"] == newest),
        daily_quota=quota,
    )
