"""How much DuckDB may hold in memory: what the store was opened with, bounds, and room beyond them.

The setting is one for the whole store, while threads want different ones at a time. Each says for
how long it wants what; the widest that is wanted holds, and the narrower returns at the end.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

import duckdb

from replay_store.errors import StoreMemoryError

__all__ = ["ROOM", "MemoryLimit", "tells_of_memory"]

ROOM: Final = "4GB"
"""For work that does not fit a bound, which is for the common case."""
_DOUBLED_FROM: Final = "1GB"
"""Of a bound so wide twice as much is tried before: what was given is kept filled while it is given."""
_NO_BLOCK: Final = re.compile(r"(failed to pin|could not allocate) block of size")
"""How a commit that exceeds the limit says it: DuckDB calls it an error of the transaction."""
_Result = TypeVar("_Result")
_UNITS: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


class MemoryLimit:
    """The limit of one store. Safe to share between threads.

    Args:
        connection: On which it is set.
        opened: What the store was opened with, such as `2GB`; None for DuckDB's own default.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, opened: str | None) -> None:
        self._connection = connection
        self._opened = opened
        self._lock = threading.Lock()
        self._bounds: list[str] = []
        self._rooms: list[str] = []
        self._wanted = self._in_force = opened
        self._of_thread = _OfThread()

    def with_room(self, work: Callable[[], _Result]) -> _Result:
        """As of `Database`; a thread that has room already is given no more."""
        try:
            return work()
        except StoreMemoryError:
            rooms = self._wider()
            if not rooms:
                raise
        for room in rooms[:-1]:
            with suppress(StoreMemoryError), self._room(room):
                return work()
        with self._room(rooms[-1]):
            return work()

    @contextmanager
    def bounded(self, limit: str) -> Iterator[None]:
        """Inside the block no more than this is wanted; of several blocks the widest holds."""
        with self._lock:
            self._bounds.append(limit)
            self._want()
        try:
            yield
        finally:
            with self._lock:
                self._bounds.remove(limit)
                self._want()

    def settle(self) -> None:
        """Narrow the limit where that could not be done: others held more than it when a block ended."""
        if self._in_force != self._wanted:
            with self._lock:
                self._want()

    def _wider(self) -> list[str]:
        """What to try in turn where this thread has not enough; nothing where it has room already."""
        with self._lock:
            n_bytes, most = _n_bytes(self._bound()), _n_bytes(ROOM)
        if self._of_thread.n_rooms or n_bytes >= most:
            return []
        is_doubled = _n_bytes(_DOUBLED_FROM) <= n_bytes < most / 2
        return [f"{2 * n_bytes:.0f}B", ROOM] if is_doubled else [ROOM]

    @contextmanager
    def _room(self, limit: str) -> Iterator[None]:
        """Inside the block there is so much room beyond the bound, for whoever works meanwhile."""
        with self._lock:
            self._rooms.append(limit)
            self._of_thread.n_rooms += 1
            self._want()
        try:
            yield
        finally:
            with self._lock:
                self._rooms.remove(limit)
                self._of_thread.n_rooms -= 1
                self._want()

    def _bound(self) -> str | None:
        if not self._bounds:
            return self._opened
        return min(self._opened, max(self._bounds, key=_n_bytes), key=_n_bytes)

    def _want(self) -> None:
        self._wanted = max((self._bound(), *self._rooms), key=_n_bytes)
        if self._wanted != self._in_force:
            try:
                _set(self._connection, self._wanted)
            except (duckdb.OutOfMemoryException, duckdb.ConnectionException):
                return  # held by others still: `settle` comes; or the store is closed
            self._in_force = self._wanted


def tells_of_memory(error: duckdb.Error) -> bool:
    """Whether work failed for want of memory, so that with more of it the same may succeed."""
    return isinstance(error, duckdb.OutOfMemoryException) or bool(_NO_BLOCK.search(str(error)))


class _OfThread(threading.local):
    n_rooms = 0


def _set(connection: duckdb.DuckDBPyConnection, limit: str | None) -> None:
    with connection.cursor() as cursor:
        if limit is None:
            cursor.execute("reset memory_limit")
        else:
            cursor.execute("set memory_limit = $limit", {"limit": limit})


def _n_bytes(limit: str | None) -> float:
    """How much a limit is; DuckDB's own default counts as all there is."""
    if limit is None:
        return float("inf")
    parts = re.fullmatch(r"(?P<n>[\d.]+) ?(?P<unit>[KMGT]?)(?P<binary>i?)B", limit)
    if parts is None:
        raise ValueError(f"{limit}: no size: expected a number and a unit, such as 2GB")
    return float(parts["n"]) * float(1024 if parts["binary"] else 1000) ** _UNITS[parts["unit"]]
