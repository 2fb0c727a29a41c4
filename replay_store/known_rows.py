"""Which spans are surely new, without a look into their table, which costs more the more it holds.

Right as long as each span either was there when this began to watch, or came through a writer since;
those of moved days count as there, because they may come back. Who hears "perhaps" asks the table. A store
has one of these; it is used inside the writer's transaction alone.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from replay_store.seen_ids import SeenIds
from replay_store.tier.views import are_days_there

if TYPE_CHECKING:
    import duckdb

    from replay_store.database import Database

__all__ = ["RecentSpans", "id_numbers", "span_numbers"]

_RECENT: Final = 500_000
"""Spans of a generation of recent ones, which take 2 MiB: minutes of what a busy server is sent."""
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: times it, numbers that lie close together are evenly spread."""
_NEWEST_START: Final = "select coalesce(max(start_time_ns), -1) from span"


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


def id_numbers(ids: pa.Array) -> np.ndarray:
    """Rows of two numbers, of UUIDs or of their bytes."""
    data = ids.storage if isinstance(ids, pa.ExtensionArray) else ids.cast(pa.binary(16))
    first = data.offset * data.type.byte_width
    last = first + len(data) * data.type.byte_width
    return np.frombuffer(data.buffers()[1], np.uint8)[first:last].view(np.uint64).reshape(-1, 2)
