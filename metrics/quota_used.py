"""How much of a daily quota does each tool and caller use? A slow burn keeps within every minute's limit."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from metrics.buckets import DAY_NS, HOUR_NS
from metrics.promises import Promise
from metrics.statements import Store, answer
from metrics.values import Scope

__all__ = ["QuotaState", "QuotaUse", "quota_used"]

_LEAST_ELAPSED_NS: Final = HOUR_NS
"""Of a day that goes on, before which its pace says nothing."""
_LEAST_CALLS: Final = 10
"""On that day, before which its pace says nothing."""


class QuotaState(StrEnum):
    """How a day stands."""

    OVER = "over"
    """The quota was used up on the newest day."""
    BURNING = "burning"
    """At the pace of the newest day so far it is used up before the day ends."""
    WITHIN = "within"
    NO_QUOTA = "no_quota"


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """Calls a day of one tool, by one caller or by all."""

    tool_name: str
    caller: str | None
    """None when the spans do not name it, and for all callers together."""
    is_all: bool
    """Whether it is all callers together, against the quota of the tool."""
    n_days: int
    """Days with a call."""
    busiest_day_ns: int
    """Start of the day with most calls."""
    n_busiest: int
    newest_day_ns: int
    """Start of the newest day of the scope."""
    n_newest: int
    """Calls on that day until the scope ends."""
    elapsed_ns: int
    """Of that day, until the scope ends."""
    daily_quota: int | None
    """The contract's; None when nobody gave one."""

    @property
    def share(self) -> float | None:
        """Of the quota, what the busiest day took; None without a quota."""
        return self.n_busiest / self.daily_quota if self.daily_quota else None

    @property
    def newest_share(self) -> float | None:
        """Of the quota, what the newest day has taken until the scope ends; None without a quota."""
        return self.n_newest / self.daily_quota if self.daily_quota else None

    @property
    def n_projected(self) -> float | None:
        """Calls on the newest day when it ends, at its pace so far.

        None in the first hour of a day and below ten calls: a pace of that is none.
        """
        if self.elapsed_ns < _LEAST_ELAPSED_NS or self.n_newest < _LEAST_CALLS:
            return None
        return self.n_newest * DAY_NS / self.elapsed_ns

    @property
    def used_up_ns(self) -> int | None:
        """When the quota is used up at that pace; None where it lasts the day, or is used up already."""
        if self.state is not QuotaState.BURNING or self.daily_quota is None:
            return None
        return self.newest_day_ns + round(self.elapsed_ns * self.daily_quota / self.n_newest)

    @property
    def state(self) -> QuotaState:
        """How the newest day stands."""
        if self.daily_quota is None:
            return QuotaState.NO_QUOTA
        if self.n_newest >= self.daily_quota:
            return QuotaState.OVER
        projected = self.n_projected
        is_burning = projected is not None and projected >= self.daily_quota
        return QuotaState.BURNING if is_burning else QuotaState.WITHIN


def quota_used(
    database: Store, scope: Scope, promises: Iterable[Promise] = (), *, day_offset_ns: int = 0
) -> tuple[QuotaUse, ...]:
    """Every tool with all its callers and with each; the largest share of a quota first, then most calls.

    Empty without calls. A tool with one caller and no quota of its own has no line for all.

    Args:
        database: The store.
        scope: Its period and filters.
        promises: Daily quotas by tool, from the contracts.
        day_offset_ns: How far the zone in which days begin is ahead of UTC.

    Source: S3 §6.2, quotas by day beside those by minute.
    """
    known = {item.tool_name: item for item in promises}
    days: dict[str, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in answer(database, "quota_used", scope, day_offset_ns=day_offset_ns):
        days[row["tool_name"]][row["caller"]][int(row["day_time_ns"])] = int(row["n_calls"])
    last = scope.end_time_ns - 1
    newest = last - (last + day_offset_ns) % DAY_NS
    found = [
        use
        for tool, callers in days.items()
        for use in _of_tool(
            tool, callers, newest, scope.end_time_ns - newest, known.get(tool, Promise(tool))
        )
    ]
    return tuple(sorted(found, key=_order))


def _of_tool(
    tool: str,
    callers: Mapping[str, Mapping[int, int]],
    newest: int,
    elapsed: int,
    promise: Promise,
) -> Iterator[QuotaUse]:
    def use(calls: Mapping[int, int], caller: str, quota: int | None, *, is_all: bool) -> QuotaUse:
        busiest = max(calls, key=lambda day: (calls[day], -day))
        return QuotaUse(
            tool_name=tool,
            caller=caller or None,
            is_all=is_all,
            n_days=len(calls),
            busiest_day_ns=busiest,
            n_busiest=calls[busiest],
            newest_day_ns=newest,
            n_newest=calls.get(newest, 0),
            elapsed_ns=elapsed,
            daily_quota=quota,
        )

    if len(callers) > 1 or promise.per_day is not None:
        yield use(_together(callers.values()), "", promise.per_day, is_all=True)
    for caller, calls in callers.items():
        yield use(calls, caller, promise.caller_per_day, is_all=False)


def _together(callers: Iterable[Mapping[int, int]]) -> dict[int, int]:
    total: dict[int, int] = defaultdict(int)
    for calls in callers:
        for day, n in calls.items():
            total[day] += n
    return total


def _order(use: QuotaUse) -> tuple[float, int, str, bool, str]:
    return (-(use.share or 0.0), -use.n_busiest, use.tool_name, not use.is_all, use.caller or "")
