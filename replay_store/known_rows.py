"""What is surely new, without a look into tables, which costs more the more they hold.

Right as long as each row of the tables either was there when these began to watch, or came through a
writer since; rows of moved days count as there, because they may come back. Who hears "perhaps" asks
the table. A store has one of each; they are used inside the writer's transaction alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from replay_store.seen_ids import SeenIds
from replay_store.tier.views import are_days_there

if TYPE_CHECKING:
    import duckdb

    from replay_store.database import Database

__all__ = ["RawIds", "RecentSpans", "span_numbers"]

_ASKED_FIRST: Final = 8
"""How often the table of raw outputs is asked before all its ids are read: a short import goes without."""
_MOST_FOUND: Final = 50_000
_READ_AT_ONCE: Final = 100_000
_LEAST_ROOM: Final = 100_000
_RECENT: Final = 500_000
"""Spans of a generation of recent ones, which take 2 MiB: minutes of what a busy server is sent."""
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: times it, numbers that lie close together are evenly spread."""
_RAW_IDS: Final = "select raw_id::blob as id from raw_output"
_NEWEST_START: Final = "select coalesce(max(start_time_ns), -1) from span"


class RawIds:
    """The ids of all raw outputs. Whoever removes raw outputs says so by `forget_found`.

    Args:
        database: The store.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._seen: SeenIds | None = None
        self._n_asked = 0
        self._found: set[str] = set()

    def watch(self) -> None:
        """Read all ids now, a quarter of a microsecond each, so that no commit of a server has to."""
        with self._database.transaction() as cursor:
            if self._seen is None and are_days_there(cursor):
                self._seen = self._read(cursor)

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

    def may_hold(self, cursor: "duckdb.DuckDBPyConnection", ids: pa.Array) -> np.ndarray:
        """For each id, False where surely no raw output has it.

        Args:
            cursor: Inside the writer's transaction.
            ids: UUIDs, none missing.
        """
        self._n_asked += 1
        is_due = (
            self._n_asked > _ASKED_FIRST
            if self._seen is None
            else not self._seen.n_more and self._seen.can_grow
        )
        if is_due and are_days_there(cursor):
            self._seen = self._read(cursor)
        if self._seen is None:
            return np.ones(len(ids), bool)
        return self._seen.may_hold(_id_numbers(ids))

    def add(self, ids: pa.Array) -> None:
        """These are in the table, or will be once the transaction is committed."""
        if self._seen is not None:
            self._seen.add(_id_numbers(ids))

    def _read(self, cursor: "duckdb.DuckDBPyConnection") -> SeenIds:
        with self._database.whole(cursor):
            [(n_ids,)] = cursor.execute("select count(*) from raw_output").fetchall()
            seen = SeenIds(max(2 * n_ids, _LEAST_ROOM))
            for batch in cursor.sql(_RAW_IDS).to_arrow_reader(_READ_AT_ONCE):
                seen.add(_id_numbers(batch.column(0)))
        return seen


@dataclass(slots=True)
class _Generation:
    """So many spans that came one after the other."""

    seen: SeenIds = field(default_factory=lambda: SeenIds(_RECENT))
    newest_start_ns: int = -1


class RecentSpans:
    """The spans written last: most batches start after all that were there before those.

    Args:
        database: The store.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._floor_ns: int | None = None
        """No span that starts later is missing in the generations; None before that is known."""
        self._before, self._now = _Generation(), _Generation()

    def are_new(
        self, cursor: "duckdb.DuckDBPyConnection", first_start_ns: int, keys: np.ndarray
    ) -> bool:
        """Whether surely none of these spans is in the store.

        Args:
            cursor: Inside the writer's transaction.
            first_start_ns: When the first of them starts; each has a start.
            keys: Of `span_numbers`.
        """
        if self._floor_ns is None:
            if not are_days_there(cursor):
                return False
            with self._database.whole(cursor):
                [(self._floor_ns,)] = cursor.execute(_NEWEST_START).fetchall()
        if first_start_ns <= self._floor_ns:
            return False
        return not (self._before.seen.may_hold(keys) | self._now.seen.may_hold(keys)).any()

    def add(self, last_start_ns: int, keys: np.ndarray) -> None:
        """These are in the table, or will be once the transaction is committed."""
        if self._floor_ns is None:
            return  # what is there when it is asked for counts
        if self._now.seen.n_more < len(keys):
            self._floor_ns = max(self._floor_ns, self._before.newest_start_ns)
            self._before, self._now = self._now, _Generation()
        self._now.seen.add(keys)
        self._now.newest_start_ns = max(self._now.newest_start_ns, last_start_ns)


def span_numbers(spans: pa.Table) -> np.ndarray:
    """Rows of two numbers for each span, of its id and record hash."""
    hashes = spans["record_hash"].to_numpy()
    return np.column_stack([(spans["span_id"].to_numpy() ^ hashes) * _SPREAD, hashes])


def _id_numbers(ids: pa.Array) -> np.ndarray:
    """Rows of two numbers, of UUIDs or of their bytes."""
    data = ids.storage if isinstance(ids, pa.ExtensionArray) else ids.cast(pa.binary(16))
    first = data.offset * data.type.byte_width
    last = first + len(data) * data.type.byte_width
    return np.frombuffer(data.buffers()[1], np.uint8)[first:last].view(np.uint64).reshape(-1, 2)
