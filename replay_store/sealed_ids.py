"""Which traces are surely not sealed, and about when the others began.

A derive looked for each changed trace among all sealed ones, and a page for the one that was asked for.
Right as long as each sealed trace either was there when this began to watch, or was added since; moved
ones count as sealed, because they come back so. A store has one of these.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from replay_store.known_rows import id_numbers
from replay_store.seen_ids import SeenParts, spread
from replay_store.watched_ids import WatchedIds

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["SealedIds"]

_READ_AT_ONCE: Final = 65_536
_SEALED: Final = """
select
    trace_id::blob as id,
    hour
from trace_sealed
union all
select
    trace_id::blob as id,
    null as hour
from tiered_trace
"""
_SEALED_NOW: Final = """
select
    trace_id::blob as id,
    hour
from trace_open
semi join {which} using (trace_id)
"""


class _Hours(NamedTuple):
    """Hours since the epoch, both inclusive; none where the first is after the last."""

    first: int
    last: int


_NO_HOURS: Final = _Hours(1, 0)


class SealedIds:
    """The ids of all sealed traces; used inside the writer's transaction alone, but for `places`.

    Args:
        database: The store.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._watched = WatchedIds(database, _read)
        self.watch_beside = self._watched.watch_beside
        self.close = self._watched.close

    def watch(self) -> None:
        """Read all ids now, a quarter of a microsecond each."""
        with self._database.transaction() as cursor:
            self._watched.watch(cursor)

    def may_hold(self, cursor: duckdb.DuckDBPyConnection, which: str) -> bool:
        """Whether some of these traces may be sealed.

        Args:
            cursor: Inside a transaction.
            which: A temporary table of trace ids.
        """
        kept = self._watched.kept
        return kept is None or kept.may_hold(_ids(cursor, which))

    def add(self, cursor: duckdb.DuckDBPyConnection, which: str) -> None:
        """These open traces are sealed once the transaction is committed; as of `may_hold`."""
        if self._watched.is_begun:
            rows = cursor.sql(_SEALED_NOW.format(which=which)).to_arrow_table()
            self._watched.add(rows.to_struct_array().combine_chunks())

    def places(self, trace_ids: Iterable[str]) -> Sequence[Mapping[str, int | None]]:
        """Where to look for traces, one place after the other: parameters of `traces_near`.

        First among those that began when these did, if they are sealed. Moved traces, and such as are
        being sealed just now, may only be in the last place, which is everywhere.

        Args:
            trace_ids: Lower hex.
        """
        everywhere = {"first_hour": None, "last_hour": None}
        kept = self._watched.kept
        if kept is None:
            return (everywhere,)
        ids = pa.array([UUID(trace_id).bytes for trace_id in trace_ids], pa.binary())
        hours = kept.hours(ids)
        return ({"first_hour": hours.first, "last_hour": hours.last}, everywhere)


class _Sealed:
    """Filters of all ids, and between which hours the traces of each part began."""

    def __init__(self) -> None:
        self._parts = SeenParts()
        self._hours = [_NO_HOURS]

    def add(self, ids: pa.Array) -> None:
        """Take in rows of `_SEALED`."""
        if not len(ids):
            return
        if self._parts.add(spread(id_numbers(ids.field("id")))):
            self._hours.append(_NO_HOURS)
        found = pc.min_max(ids.field("hour")).as_py()
        if found["min"] is not None:
            self._hours[-1] = _around([self._hours[-1], _Hours(found["min"], found["max"])])

    def may_hold(self, ids: pa.Array) -> bool:
        """Whether some of these, UUIDs or their bytes, may have been added."""
        return bool(len(ids) and self._parts.perhaps(spread(id_numbers(ids))))

    def hours(self, ids: pa.Array) -> _Hours:
        """Between which hours those of these began that may have been added; ids as of `may_hold`."""
        if not len(ids):
            return _NO_HOURS
        held = self._parts.perhaps(spread(id_numbers(ids)))
        return _around([self._hours[part] for part, _ in held])


def _around(parts: Iterable[_Hours]) -> _Hours:
    """The hours from the first to the last of some; none of none."""
    found = [part for part in parts if part.first <= part.last]
    if not found:
        return _NO_HOURS
    return _Hours(min(part.first for part in found), max(part.last for part in found))


def _read(cursor: duckdb.DuckDBPyConnection, is_stopped: Callable[[], bool]) -> _Sealed:
    sealed = _Sealed()
    for batch in cursor.sql(_SEALED).to_arrow_reader(_READ_AT_ONCE):
        if is_stopped():
            break
        sealed.add(batch.to_struct_array())
    return sealed


def _ids(cursor: duckdb.DuckDBPyConnection, which: str) -> pa.Array:
    """The ids of a temporary table."""
    sql = f"select trace_id::blob as id from {which}"  # noqa: S608 - our own name
    return cursor.sql(sql).to_arrow_table()["id"].combine_chunks()
