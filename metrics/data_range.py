"""Which period holds data, and which part of it to look at first."""

from dataclasses import dataclass
from enum import StrEnum

from metrics.buckets import DAY_NS, HOUR_NS
from metrics.errors import UnknownRangeError
from metrics.statements import Store, answer
from metrics.values import Scope


class RangeKey(StrEnum):
    """The ranges offered."""

    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"
    ALL = "all"


_LENGTH_NS = {RangeKey.DAY: DAY_NS, RangeKey.WEEK: 7 * DAY_NS, RangeKey.MONTH: 30 * DAY_NS}


@dataclass(frozen=True, slots=True)
class DataRange:
    """First and last start of anything the metrics count, both inclusive."""

    first_time_ns: int
    last_time_ns: int


def data_range(database: Store) -> DataRange | None:
    """The period that holds data; None for a store without any timed row."""
    row = answer(database, "data_range")[0]
    if row["first_time_ns"] is None:
        return None
    return DataRange(int(row["first_time_ns"]), int(row["last_time_ns"]))


def default_scope(
    range_key: str,
    data: DataRange | None,
    tool_name: str | None = None,
    agent_name: str | None = None,
) -> Scope:
    """The range that ends with the hour of the newest data, not now; an empty scope at 0 without data.

    It begins on an hour too, so that every hour in it counts whole.

    Raises:
        UnknownRangeError: The key is none of those offered; lists them.
    """
    try:
        key = RangeKey(range_key)
    except ValueError as error:
        raise UnknownRangeError(
            f"range: unknown range {range_key!r}: expected one of {', '.join(RangeKey)}; "
            "choose one of them"
        ) from error
    if data is None:
        return Scope(0, 0, tool_name, agent_name)
    end = data.last_time_ns + HOUR_NS - data.last_time_ns % HOUR_NS
    first = data.first_time_ns - data.first_time_ns % HOUR_NS
    start = first if key is RangeKey.ALL else end - _LENGTH_NS[key]
    return Scope(start, end, tool_name, agent_name)
