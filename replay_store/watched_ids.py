"""Ids of a table that are read once, by a thread if need be, and kept up with from then on."""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

import duckdb
import pyarrow as pa

from replay_store.errors import StoreMemoryError

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["Keeper", "WatchedIds"]

_LOG: Final = logging.getLogger(__name__)
_SOON_SECONDS: Final = 0.2
"""For how long a start waits for ids; of more than half a million it goes on without."""


class Keeper(Protocol):
    """What is kept of the ids."""

    def add(self, ids: pa.Array) -> None:
        """Take in ids, as they are read, that will be in the table once the transaction is committed."""


_Kept = TypeVar("_Kept", bound=Keeper)


class WatchedIds(Generic[_Kept]):
    """Used inside the writer's transaction alone, but for `close`.

    Args:
        database: The store.
        read: What is kept of all that is in the table; asks now and then whether to stop, and what it
            gives is left unused then.
    """

    def __init__(
        self,
        database: "Database",
        read: Callable[[duckdb.DuckDBPyConnection, Callable[[], bool]], _Kept],
    ) -> None:
        self._database = database
        self._read = read
        self._came: list[pa.Array] | None = None
        """What was added since a thread began to read; None while none does."""
        self._reader: threading.Thread | None = None
        self._is_closing = threading.Event()
        self.kept: _Kept | None = None
        """None until all is read."""

    @property
    def is_begun(self) -> bool:
        """Whether all is read, or is being read: what comes is to be added."""
        return self.kept is not None or self._came is not None

    def watch(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Read now, unless that is begun."""
        if not self.is_begun:
            self.kept = self._read(cursor, self._is_closing.is_set)

    def watch_beside(self) -> None:
        """Have a thread read, unless that is begun; returns soon."""
        with ExitStack() as stack:
            # While nobody commits: what the reader does not see is noted.
            with self._database.transaction():
                if self.is_begun:
                    return
                cursor = stack.enter_context(self._database.snapshot())
                cursor.execute("select version from store_state").fetchall()
                self._came = []
            reading = stack.pop_all()
        self._reader = threading.Thread(
            target=self._read_beside, args=(cursor, reading), name="known ids", daemon=True
        )
        self._reader.start()
        self._reader.join(_SOON_SECONDS)

    def close(self) -> None:
        """End the thread that reads, if one does."""
        self._is_closing.set()
        if self._reader is not None:
            self._reader.join()

    def add(self, ids: pa.Array) -> None:
        """As of `Keeper`; nothing is noted before reading is begun."""
        if self.kept is not None:
            self.kept.add(ids)
        elif self._came is not None:
            self._came.append(ids)

    def _read_beside(self, cursor: duckdb.DuckDBPyConnection, reading: ExitStack) -> None:
        kept = None
        try:
            with reading:
                kept = self._read(cursor, self._is_closing.is_set)
        except (duckdb.Error, pa.ArrowException, StoreMemoryError) as error:
            _LOG.warning("known ids could not be read, so tables are asked: %s", error)
        with self._database.transaction():
            came, self._came = self._came or [], None
            if kept is not None and not self._is_closing.is_set():
                for ids in came:
                    kept.add(ids)
                self.kept = kept
