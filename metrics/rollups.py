"""Which questions rollups answer, and from which of their hours and days.

Rollups hold the sealed traces by the hour. A report reads them where its period begins and ends on an
hour and is large; else it reads rows, which is exact and quick enough. Of what the two say only
quantiles of durations differ, by at most 1 %.
"""

from collections.abc import Mapping
from typing import Any, Final

from metrics.buckets import DAY_NS, HOUR_NS, bucket_width_ns
from metrics.once import Once
from metrics.rolled_observations import OF_OBSERVATIONS, is_held
from metrics.rolled_rows import ROLLED
from metrics.statements import Row, Store, parameter_names, statement
from metrics.values import Scope

__all__ = ["LARGE", "Rollups", "best_of"]

LARGE: Final = 20_000
"""Calls in a period and the one before it from which on rollups are read."""
_HOURS_A_DAY: Final = DAY_NS // HOUR_NS
_NOT_BY_TOOL: Final = {
    *("guard_silence", "latency_p95_model", "steps_histogram", "steps_per_task", "tool_table"),
    *OF_OBSERVATIONS,
}
_STRETCHES: Final = (1, 6, 24, 168)
"""Hours over which durations are kept by tool."""


class Rollups(Once):
    """A store whose large questions are answered from rollups; each question once.

    What rollups do not hold is asked from rows: labels, one agent, what traces, tasks and observations are
    asked of one tool, observations as read again, and days that begin within an hour.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._cut: dict[tuple[str, frozenset[tuple[str, Any]]], list[Row]] = {}

    def answer_of(self, name: str, scope: Scope, given: Mapping[str, Any]) -> list[Row] | None:
        """The rows of a statement over rollups; None for what they do not hold."""
        width = given.get("bucket_ns") or bucket_width_ns(scope)
        is_rolled = (
            name in ROLLED
            and _is_whole(scope)
            and width % HOUR_NS == 0
            and scope.agent_name is None
            and (scope.tool_name is None or name not in _NOT_BY_TOOL)
            and given.get("day_offset_ns", 0) % HOUR_NS == 0
        )
        if not is_rolled or (
            name in OF_OBSERVATIONS and not is_held(name, given, self._observed())
        ):
            return None
        bounds = {"bucket_ns": width, "q": 0.95, **given, **hours(scope, width), **stretches(scope)}
        key = (name, frozenset(bounds.items()))
        if key not in self._cut:
            self._cut[key] = self._rows_of(name, bounds)
        return self._cut[key]

    def _observed(self) -> Row:
        return self.rows(statement("rolled/observed"))[0]

    def _rows_of(self, name: str, bounds: Mapping[str, Any]) -> list[Row]:
        def ask(part: str, **extra: object) -> list[Row]:
            text, given = f"rolled/{part}", {**bounds, **extra}
            return self.rows(statement(text), {key: given[key] for key in parameter_names(text)})

        return ROLLED[name](ask, bounds)


def best_of(database: Store, scope: Scope) -> Once:
    """Where the questions of one report are best asked: of rollups in a large period, else of rows."""
    if not _is_whole(scope):
        return Once(database)
    bounds = {
        "before_hour": scope.before().start_time_ns // HOUR_NS,
        "end_hour": scope.end_time_ns // HOUR_NS,
    }
    n_calls = int(database.rows(statement("rolled/n_calls"), bounds)[0]["n_calls"])
    return Rollups(database) if n_calls >= LARGE else Once(database)


def hours(scope: Scope, bucket_ns: int) -> dict[str, object]:
    """Where the period before, the scope and the days whole within each begin and end, in hours.

    Days are read only where a bucket is as wide; else none is.
    """
    before, start, end = (
        time_ns // HOUR_NS
        for time_ns in (scope.before().start_time_ns, scope.start_time_ns, scope.end_time_ns)
    )
    has_days = bucket_ns % DAY_NS == 0
    first, next_ = (_day_after(before), _day_after(start)) if has_days else (before, end)
    return {
        "before_hour": before,
        "first_day_hour": first,
        "start_day_hour": max(start - start % _HOURS_A_DAY, first) if has_days else before,
        "start_hour": start,
        "next_day_hour": next_,
        "end_day_hour": max(end - end % _HOURS_A_DAY, next_) if has_days else end,
        "end_hour": end,
    }


def stretches(scope: Scope) -> dict[str, tuple[int, ...]]:
    """`hours_N`: where those stretches of N hours begin that tile the scope and the period before it.

    As few as do: each is as long as its place allows.
    """
    before, start, end = (
        time_ns // HOUR_NS
        for time_ns in (scope.before().start_time_ns, scope.start_time_ns, scope.end_time_ns)
    )
    found: dict[int, list[int]] = {length: [] for length in _STRETCHES}
    for first, until in ((before, start), (start, end)):
        hour = first
        while hour < until:
            length = max(n for n in _STRETCHES if hour % n == 0 and hour + n <= until)
            found[length].append(hour)
            hour += length
    return {f"hours_{length}": tuple(starts) for length, starts in found.items()}


def _day_after(hour: int) -> int:
    return hour + -hour % _HOURS_A_DAY


def _is_whole(scope: Scope) -> bool:
    return not (scope.start_time_ns % HOUR_NS or scope.end_time_ns % HOUR_NS)
