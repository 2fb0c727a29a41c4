"""Tables that belong to no trace: rollups by the hour that a period holds, all others whole."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final

from replay_store.cluster.answers import Answers
from replay_store.cluster.copy import Part
from replay_store.cluster.needs import HOUR_NS, Period
from replay_store.cluster.saved import Saved

__all__ = ["Blocks"]

_BY_TIME: Final = {
    "rollup_call": "hour",
    "rollup_count": "hour",
    "rollup_time": "hour",
    "rollup_tool_time": "hour",
    "rollup_tool_count": "hour",
    "rollup_share": "hour",
    "rollup_crossing": "hour",
    "rollup_task": "hour",
    "rollup_time_day": "day",
    "rollup_share_day": "day",
}
"""Rollups, and the column by which a period bounds them."""
_WIDTH_NS: Final = {"hour": HOUR_NS, "day": 24 * HOUR_NS}
_CONTENT: Final = "select count() as n, sum(catalogue_hash % 65521) as total from offered_tool"
"""The same rows may be told by any of their receivers."""

Block = int | None
"""The hour or the day; None where it is unknown."""


class Blocks:
    """Knows in which version each block is here.

    Args:
        answers: Of the cluster.
    """

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._whole: dict[str, object] = {}
        self._timed: dict[str, dict[Block, object]] = defaultdict(dict)
        self._coming: list[tuple[dict[Any, Any], dict[Any, Any]]] = []

    def parts(self, tables: Collection[str], period: Period | None, saved: Saved) -> Iterator[Part]:
        """What has to change in these tables; it counts as done with `keep`."""
        self._coming.clear()
        for table in sorted(tables):
            part = (
                self._timed_part(table, _BY_TIME[table], period, saved)
                if table in _BY_TIME
                else self._whole_part(table, saved)
            )
            if part is not None:
                yield part

    def keep(self) -> None:
        """What was last asked for is here now."""
        for known, found in self._coming:
            known.update(found)
        self._coming.clear()

    def _whole_part(self, table: str, saved: Saved) -> Part | None:
        version = self._answers.rows(
            _CONTENT
            if table == "offered_tool"
            else "select toString(ship_unit) as unit, receiver, max(ship_version) as version, "  # noqa: S608 - names of our own
            f"count() as n from {table} group by ship_unit, receiver order by ship_unit, receiver"
        )
        if self._whole.get(table) == version:
            return None
        self._coming.append((self._whole, {table: version}))
        return Part(table, [saved.rows_of(table, "1 = 1")], where="true")

    def _timed_part(
        self, table: str, column: str, period: Period | None, saved: Saved
    ) -> Part | None:
        bounds = _bounds(column, period)
        found: dict[Block, tuple[object, ...]] = defaultdict(tuple)
        for row in self._answers.rows(
            f"select {column} as block, receiver, max(ship_version) as version, count() as n "  # noqa: S608 - names of our own
            f"from {table} where {bounds} group by {column}, receiver order by block, receiver"
        ):
            found[row["block"]] += tuple(row.values())
        known = self._timed[table]
        here = {block for block in known if _is_within(block, column, period)}
        changed = {block for block in here | found.keys() if known.get(block) != found.get(block)}
        if not changed:
            return None
        self._coming.append((known, {block: found.get(block) for block in changed}))
        where = _of_blocks(column, changed)
        return Part(table, [saved.rows_of(table, where)], where=where)


def _bounds(column: str, period: Period | None) -> str:
    """A condition on blocks that may hold something of a period."""
    if period is None:
        return "1 = 1"
    width = _WIDTH_NS[column]
    parts = []
    if period.start_ns is not None:
        parts.append(f"{column} >= {period.start_ns // width:d}")
    if period.end_ns is not None:
        parts.append(f"{column} <= {period.end_ns // width:d}")
    return f"{column} is null or ({' and '.join(parts)})"


def _is_within(block: Block, column: str, period: Period | None) -> bool:
    if block is None or period is None:
        return True
    width = _WIDTH_NS[column]
    return (period.start_ns is None or block >= period.start_ns // width) and (
        period.end_ns is None or block <= period.end_ns // width
    )


def _of_blocks(column: str, blocks: Collection[Block]) -> str:
    known = ", ".join(f"{block:d}" for block in blocks if block is not None)
    parts = [f"{column} in ({known})"] if known else []
    parts += [f"{column} is null"] if None in blocks else []
    return " or ".join(parts)
