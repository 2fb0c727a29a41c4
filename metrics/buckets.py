"""Time buckets: one width for a whole period, or one that gives a readable trend."""

from collections.abc import Callable, Iterable
from typing import Final

from metrics.statements import Row
from metrics.values import Point, Scope

HOUR_NS: Final = 3_600 * 10**9
DAY_NS: Final = 24 * HOUR_NS
MONTH_NS: Final = 30 * DAY_NS

_MOST_HOURS: Final = 72
_MOST_DAYS: Final = 400


def bucket_width_ns(scope: Scope) -> int:
    """An hour up to three days, a day up to 400, else thirty days; aligned to UTC."""
    length = scope.end_time_ns - scope.start_time_ns
    if length <= _MOST_HOURS * HOUR_NS:
        return HOUR_NS
    return DAY_NS if length <= _MOST_DAYS * DAY_NS else MONTH_NS


def fill(
    scope: Scope,
    bucket_ns: int,
    rows: Iterable[Row],
    value: Callable[[Row], float | None],
    n_column: str,
) -> tuple[Point, ...]:
    """One point for each bucket of the scope, in order; buckets without rows have None and n = 0.

    The first and the last bucket hold only their part of the scope.
    """
    by_time = {row["bucket_time_ns"]: row for row in rows}
    first = scope.start_time_ns - scope.start_time_ns % bucket_ns
    return tuple(
        _point(time_ns, by_time.get(time_ns), value, n_column)
        for time_ns in range(first, scope.end_time_ns, bucket_ns)
    )


def _point(
    time_ns: int, row: Row | None, value: Callable[[Row], float | None], n_column: str
) -> Point:
    if row is None:
        return Point(time_ns, None, 0)
    return Point(time_ns, value(row), int(row[n_column]))
