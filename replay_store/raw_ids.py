"""Which raw outputs the store holds, mostly without a look into their table.

Filters in memory tell which are surely new; of the others, which part of the table may hold them, so that
a look costs the same however many there are. Right as long as each raw output either was there when this
began to watch, or came through `RawIds.add` since. A store has one of these.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

import duckdb
import numpy as np
import pyarrow as pa

from replay_store.known_rows import id_numbers
from replay_store.seen_ids import SeenParts
from replay_store.statements import run
from replay_store.watched_ids import WatchedIds

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["RawIds"]

_ASKED_FIRST: Final = 8
"""How often the table is asked before all its ids are read: a short import goes without."""
_MOST_FOUND: Final = 50_000
_READ_AT_ONCE: Final = 65_536
_RAW_IDS: Final = "select rowid as row_number, raw_id::blob as id from raw_output"
_LAST_ROW: Final = 2**63 - 1


class RawIds:
    """The ids of all raw outputs. Whoever removes raw outputs says so by `forget_found`.

    Args:
        database: The store.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._watched = WatchedIds(database, _read)
        self._n_asked = 0
        self._found: set[str] = set()
        self.watch_beside = self._watched.watch_beside
        self.close = self._watched.close
        self.add = self._watched.add
        """Ids of which the table held none, in the order in which they are inserted; at least one."""

    def watch(self) -> None:
        """Read all ids now, a quarter of a microsecond each."""
        with self._database.transaction() as cursor:
            self._watched.watch(cursor)

    def was_found(self, raw_id: str) -> bool:
        """Whether it is in the table, as was found before: tools often answer the same again."""
        return raw_id in self._found

    def keep_found(self, raw_ids: Iterable[str]) -> None:
        """These were committed before and are in the table."""
        if len(self._found) > _MOST_FOUND:
            self._found.clear()
        self._found.update(raw_ids)

    def forget_found(self) -> None:
        """Some may be gone once the transaction is committed: what was found is looked for again."""
        self._found.clear()

    def known(self, cursor: duckdb.DuckDBPyConnection, ids: pa.Array) -> np.ndarray:
        """The places of the ids that are in the table, in order.

        Args:
            cursor: Inside the writer's transaction.
            ids: UUIDs, none missing, each once.
        """
        self._n_asked += 1
        if self._n_asked > _ASKED_FIRST:
            self._watched.watch(cursor)
        if self._watched.kept is None:
            return np.array(sorted(place for place, _ in _looked_for(cursor, ids)), np.int64)
        return self._watched.kept.known(cursor, ids)

    def came_back(self, raw_ids: Iterable[UUID]) -> None:
        """As `add`, of raw outputs that were in files; none is fine."""
        if back := [raw_id.bytes for raw_id in raw_ids]:
            self.add(pa.array(back, pa.uuid()))


class _Begin(NamedTuple):
    """Where a part of the table begins: the first id of it, and its row when that was last looked for."""

    raw_id: bytes | None = None
    """None where it is not told apart from the part before."""
    row: int | None = None


class _Seen:
    """Filters of all ids, each of those of some rows that follow each other.

    Rows of a table keep their order for ever, but not their numbers: these move down when rows before
    them were deleted. So the first id of a part is looked for with what is wanted, and where it is not
    in the row it was in, all parts are located anew.
    """

    def __init__(self) -> None:
        self._parts = SeenParts()
        self._begins = [_Begin()]
        self._n_located = 1
        self._last_row = -1

    def take(self, ids: pa.Array, rows: np.ndarray) -> None:
        """Take in ids and their rows, read in the order of the table."""
        if self._parts.add(id_numbers(ids)):
            is_in_order = self._last_row < rows[0] == rows.min()
            begin = _Begin(ids[0].as_py(), int(rows[0])) if is_in_order else _Begin()
            self._begins.append(begin)
            self._n_located = len(self._begins)
        self._last_row = max(self._last_row, int(rows.max()))

    def add(self, ids: pa.Array) -> None:
        """Take in ids that will be behind all that are there."""
        data = ids.storage.to_pylist()
        again = {begin.raw_id for begin in self._begins}.intersection(data)
        if again:  # of a commit that failed, or removed since: it tells no place any more
            self._begins = [_Begin() if begin.raw_id in again else begin for begin in self._begins]
        if self._parts.add(id_numbers(ids)):
            self._begins.append(_Begin(data[0]))

    def known(self, cursor: duckdb.DuckDBPyConnection, ids: pa.Array) -> np.ndarray:
        """As of `RawIds`."""
        held = self._parts.perhaps(id_numbers(ids))
        if 2 * len(held) >= len(self._begins):
            perhaps = np.unique(np.concatenate([places for _, places in held]))
            found = {int(perhaps[place]) for place, _ in _looked_for(cursor, _taken(ids, perhaps))}
            return np.array(sorted(found), np.int64)
        if held and self._n_located < len(self._begins):
            self._locate(cursor)
        places = [self._within(cursor, part, ids, places) for part, places in held]
        return np.unique(np.concatenate(places)) if places else np.array([], np.int64)

    def _within(
        self, cursor: duckdb.DuckDBPyConnection, part: int, ids: pa.Array, places: np.ndarray
    ) -> np.ndarray:
        """The places of those that are in one part of the table."""
        wanted = _taken(ids, places)
        found = self._looked_for(cursor, part, wanted)
        if found is None:
            self._locate(cursor)
            found = self._looked_for(cursor, part, wanted)
        if found is None:
            found = [place for place, _ in _looked_for(cursor, wanted)]
        return places[np.array(found, np.int64)]

    def _looked_for(
        self, cursor: duckdb.DuckDBPyConnection, part: int, wanted: pa.Array
    ) -> list[int] | None:
        """Which of these ids are in one part of the table; None where that is not where it was."""
        before, after = self._begins[: part + 1], self._begins[part + 1 :]
        ends = [
            next((begin for begin in reversed(before) if begin.row is not None), None),
            next((begin for begin in after if begin.row is not None), None),
        ]
        told = [end for end in ends if end is not None]
        first, last = (None if end is None else end.row for end in ends)
        asked = pa.concat_arrays([wanted, pa.array([end.raw_id for end in told], pa.uuid())])
        found = _looked_for(cursor, asked, first or 0, _LAST_ROW if last is None else last)
        are_there = {(len(wanted) + n, end.row) for n, end in enumerate(told)} <= set(found)
        return [place for place, _ in found if place < len(wanted)] if are_there else None

    def _locate(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Look for where all parts begin; what is not there, or not before those after it, tells nothing."""
        numbers = [number for number, begin in enumerate(self._begins) if begin.raw_id is not None]
        asked = pa.array([self._begins[number].raw_id for number in numbers], pa.uuid())
        rows: dict[int, int | None] = {}
        for place, row in _looked_for(cursor, asked):
            rows[numbers[place]] = None if numbers[place] in rows else row
        first_after = _LAST_ROW
        for number in reversed(range(len(self._begins))):
            found = rows.get(number)
            begins_at = found if found is not None and found < first_after else None
            self._begins[number] = self._begins[number]._replace(row=begins_at)
            first_after = first_after if begins_at is None else begins_at
        self._n_located = len(self._begins)


def _read(cursor: duckdb.DuckDBPyConnection, is_stopped: Callable[[], bool]) -> _Seen:
    seen = _Seen()
    for batch in cursor.sql(_RAW_IDS).to_arrow_reader(_READ_AT_ONCE):
        if is_stopped():
            break
        if len(batch):
            seen.take(batch.column("id"), batch.column("row_number").to_numpy())
    return seen


def _looked_for(
    cursor: duckdb.DuckDBPyConnection,
    ids: pa.Array,
    first_row: int = 0,
    last_row: int = _LAST_ROW,
) -> Sequence[tuple[int, int]]:
    """The places of the ids that are in these rows of the table, and the rows."""
    cursor.register(
        "asked", pa.table({"raw_id": ids, "position": pa.array(range(len(ids)), pa.uint32())})
    )
    rows = {"first_row": first_row, "last_row": last_row}
    found: list[tuple[int, int]] = run(cursor, "sql/known_raw_outputs", rows).fetchall()
    return found


def _taken(ids: pa.Array, places: np.ndarray) -> pa.Array:
    """The ids at some places."""
    return pa.ExtensionArray.from_storage(ids.type, ids.storage.take(pa.array(places)))
