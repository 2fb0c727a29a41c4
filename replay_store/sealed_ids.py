"""Which traces are surely not sealed: a derive looked for each changed one among all sealed traces.

Right as long as each sealed trace either was there when this began to watch, or was added since; moved
ones count as sealed, because they come back so. A store has one of these.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import duckdb
import pyarrow as pa

from replay_store.known_rows import id_numbers
from replay_store.seen_ids import SeenParts, spread
from replay_store.watched_ids import WatchedIds

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["SealedIds"]

_READ_AT_ONCE: Final = 65_536
_SEALED: Final = """
select trace_id::blob as id
from trace_sealed
union all
select trace_id::blob
from tiered_trace
"""


class SealedIds:
    """The ids of all sealed traces; used inside the writer's transaction alone.

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
        """These traces are sealed once the transaction is committed; as of `may_hold`."""
        if self._watched.is_begun:
            self._watched.add(_ids(cursor, which))


class _Sealed:
    """Filters of all ids."""

    def __init__(self) -> None:
        self._parts = SeenParts()

    def add(self, ids: pa.Array) -> None:
        """Take ids in, UUIDs or their bytes."""
        if len(ids):
            self._parts.add(spread(id_numbers(ids)))

    def may_hold(self, ids: pa.Array) -> bool:
        """Whether some of these may have been added."""
        return bool(len(ids) and self._parts.perhaps(spread(id_numbers(ids))))


def _read(cursor: duckdb.DuckDBPyConnection, is_stopped: Callable[[], bool]) -> _Sealed:
    sealed = _Sealed()
    for batch in cursor.sql(_SEALED).to_arrow_reader(_READ_AT_ONCE):
        if is_stopped():
            break
        sealed.add(batch.column("id"))
    return sealed


def _ids(cursor: duckdb.DuckDBPyConnection, which: str) -> pa.Array:
    """The ids of a temporary table."""
    sql = f"select trace_id::blob as id from {which}"  # noqa: S608 - our own name
    return cursor.sql(sql).to_arrow_table()["id"].combine_chunks()
