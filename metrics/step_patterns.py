"""Do tasks go round in circles? Ping-pong, cycles, and steps that bring nothing new."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from metrics.statements import Row, Store, answer
from metrics.values import Scope

MAX_PERIOD: Final = 6
_STALE: Final = 3
"""Observations in a row with the same snapshot: nothing new was learnt."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A stretch of calls that repeats itself."""

    start: int
    """Place of its first call."""
    period: int
    """Calls until it begins anew; 1 is the same call again and again."""
    repeats: int
    """How often the period occurs, at least twice."""


@dataclass(frozen=True, slots=True)
class StepPatterns:
    """In how many traces of a scope each pattern occurs."""

    n_traces: int
    """Traces with a call."""
    ping_pong: tuple[str, ...]
    """Ids of traces in which two calls with equal arguments take turns twice."""
    tool_ping_pong: tuple[str, ...]
    """The same by names of tools alone; holds `ping_pong`."""
    cycles: tuple[str, ...]
    """Traces with a cycle of any period."""
    stagnant: tuple[str, ...]
    """Traces with a cycle whose answers repeat too."""
    n_observed: int
    """Traces with an observation."""
    no_progress: tuple[str, ...]
    """Traces that showed the same snapshot three times in a row."""


def step_patterns(database: Store, scope: Scope) -> StepPatterns:
    """The patterns over all traces of a scope.

    Equal calls have the same tool and arguments; calls whose arguments are not visible equal none.

    Source: S3 §5.3 (the model goes back and forth between tools), S4 §3.1 (loops).
    """
    calls = _by_trace(answer(database, "series/call_order", scope))
    seen = _by_trace(answer(database, "series/snapshot_order", scope))
    return StepPatterns(
        n_traces=len(calls),
        ping_pong=tuple(name for name, rows in calls.items() if is_ping_pong(_keys(rows))),
        tool_ping_pong=tuple(name for name, rows in calls.items() if is_ping_pong(_tools(rows))),
        cycles=tuple(name for name, rows in calls.items() if first_cycle(_keys(rows))),
        stagnant=tuple(name for name, rows in calls.items() if first_cycle(_answered(rows))),
        n_observed=len(seen),
        no_progress=tuple(name for name, rows in seen.items() if _is_stale(rows)),
    )


def is_ping_pong(keys: Sequence[Hashable | None]) -> bool:
    """Whether two different keys take turns twice: A B A B. None equals nothing."""
    return any(
        first is not None and second is not None and first == third and second == fourth
        for first, second, third, fourth in zip(keys, keys[1:], keys[2:], keys[3:], strict=False)
        if first != second
    )


def first_cycle(keys: Sequence[Hashable | None], max_period: int = MAX_PERIOD) -> Cycle | None:
    """The first cycle of the smallest period; None when nothing repeats. None equals nothing."""
    for period in range(1, max_period + 1):
        equal = [
            one is not None and one == other
            for one, other in zip(keys, keys[period:], strict=False)
        ]
        found = _run(equal, period)
        if found is not None:
            start, length = found
            return Cycle(start, period, length // period + 1)
    return None


def _run(equal: Sequence[bool], at_least: int) -> tuple[int, int] | None:
    """Start and length of the first unbroken run of so many; None without one."""
    start = 0
    for place, is_equal in enumerate([*equal, False]):
        if is_equal:
            continue
        if place - start >= at_least:
            return start, place - start
        start = place + 1
    return None


def _by_trace(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["trace_id"]].append(row)
    return found


def _keys(rows: list[Row]) -> list[tuple[str, int] | None]:
    return [
        None if row["arguments_hash"] is None else (row["tool_name"], row["arguments_hash"])
        for row in rows
    ]


def _tools(rows: list[Row]) -> list[str]:
    return [row["tool_name"] for row in rows]


def _answered(rows: list[Row]) -> list[tuple[str, int, str, str | None] | None]:
    return [
        None if key is None else (*key, row["status"], row["result_preview"])
        for key, row in zip(_keys(rows), rows, strict=True)
    ]


def _is_stale(rows: list[Row]) -> bool:
    hashes = [row["snapshot_hash"] for row in rows]
    return any(
        len(set(hashes[place : place + _STALE])) == 1 for place in range(len(hashes) - _STALE + 1)
    )
