"""The one owner of the DuckDB file: a connection, a fresh cursor a call, results always drained.

DuckDB allows one process to open a file for writing, and one cursor to serve one thread at a time.
The file is opened by ATTACH from an in-memory connection: a file whose log was cut off by a crash
can then still be replayed.
"""

import logging
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb
import pyarrow as pa

from replay_store.errors import StoreBusyError, StoreUnreadableError, StoreWriteError
from replay_store.migrate import apply_migrations
from replay_store.statements import parsed

if TYPE_CHECKING:
    import pandas as pd

_LOG: Final = logging.getLogger(__name__)
_SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "checkpoint_threshold": "128MB",
}
_ROW_GROUP_SIZE: Final = 10240
"""A twelfth of the default. A checkpoint compresses the last, unfinished group again; with spans of
some kilobytes that is most of what a commit costs in the long run, so groups are small and
checkpoints few (measured on 4.5 kB spans: half the processor time of 30720 rows at 64 MB)."""

_ROOM: Final = "4GB"
"""Memory for work that does not fit a bound, which is for the common case."""

Parameters = Mapping[str, Any]
_Result = TypeVar("_Result")


class Database:
    """An open store. Safe to share between threads: every call takes its own cursor."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: Path | None,
        memory_limit: str | None = None,
    ) -> None:
        self._connection = connection
        self._memory_limit = memory_limit
        self.path = path
        self._write_lock = threading.RLock()
        self._copy_lock = threading.Lock()
        self._is_closed = False
        self._n_commits = 0
        self._known: dict[str, tuple[int, dict[str, Any] | None]] = {}

    @classmethod
    def open(cls, path: Path | None = None, *, memory_limit: str | None = None) -> "Database":
        """The store at `path`, created and migrated as needed; in memory without a path.

        Args:
            path: The DuckDB file; its folder is created.
            memory_limit: Upper bound for DuckDB, such as `2GB`; DuckDB's own default without.

        Raises:
            StoreBusyError: Another process owns the file; names it.
            StoreUnreadableError: The file is not a store; names it.
            MigrationError: An applied migration has changed; names it.
        """
        settings = _SETTINGS | {"temp_directory": _spill_folder(path)}
        if memory_limit:
            settings["memory_limit"] = memory_limit
        connection = duckdb.connect(":memory:", config=settings)
        try:
            _attach(connection, path)
            apply_migrations(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection, path, memory_limit)

    def rows(self, sql: str, parameters: Parameters | None = None) -> list[dict[str, Any]]:
        """The answer as dictionaries, one a row, in the order of the query."""
        with self._cursor() as cursor:
            result = _execute(cursor, sql, parameters)
            names = [column[0] for column in result.description or ()]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def row(self, sql: str, parameters: Parameters | None = None) -> dict[str, Any] | None:
        """The first row of the answer; None when there is none."""
        rows = self.rows(sql, parameters)
        return rows[0] if rows else None

    def known_row(self, sql: str) -> dict[str, Any] | None:
        """The first row of the answer, asked anew only after a commit.

        For the few small questions that are asked many times a second; their answers are kept.
        """
        # Counted before asking: an answer that is newer than its count is only asked once too often.
        n_commits = self._n_commits
        known = self._known.get(sql)
        if known is None or known[0] != n_commits:
            known = self._known[sql] = (n_commits, self.row(sql))
        return known[1]

    def frame(self, sql: str, parameters: Parameters | None = None) -> "pd.DataFrame":
        """The answer as a data frame."""
        with self._cursor() as cursor:
            return _execute(cursor, sql, parameters).df()

    @contextmanager
    def bounded(self, memory_limit: str) -> Iterator[None]:
        """Inside the block, DuckDB holds no more than this in memory, such as `64MB`.

        Without a bound it keeps what it wrote until the machine has no room.
        """
        before = self._memory_limit
        self._limit(memory_limit)
        try:
            yield
        finally:
            self._limit(before)

    def with_room(self, work: Callable[[], _Result]) -> _Result:
        """What the work gives; work that exceeds the bound on memory is done again with room for it.

        Args:
            work: Leaves nothing behind when it fails, as a transaction does.
        """
        try:
            return work()
        except duckdb.OutOfMemoryException:
            with self.bounded(_ROOM):
                return work()

    def batches(self, sql: str, n_rows: int) -> "Iterator[pa.RecordBatch]":
        """The answer as Arrow batches of about so many rows, at least one, perhaps without rows."""
        with self._cursor() as cursor:
            reader: pa.RecordBatchReader = cursor.sql(sql).to_arrow_reader(n_rows)
            n_batches = 0
            for batch in reader:
                n_batches += 1
                yield batch
            if not n_batches:
                yield from reader.schema.empty_table().to_batches() or [
                    pa.RecordBatch.from_pylist([], reader.schema)
                ]

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor inside one transaction: committed at the end, rolled back on any error.

        One writer at a time; readers go on with the state before.
        """
        with self._write_lock, self._cursor() as cursor:
            cursor.begin()
            try:
                yield cursor
            except BaseException:
                cursor.rollback()
                raise
            cursor.commit()
            self._n_commits += 1

    def checkpoint(self) -> None:
        """Move the log into the file, so that the next start has nothing to replay."""
        with self._write_lock, self._cursor() as cursor:
            cursor.execute("checkpoint store")

    @contextmanager
    def beside(self, path: Path, name: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that sees a second file under that name too; one at a time, detached at the end."""
        with self._copy_lock, self._cursor() as cursor:
            cursor.execute(_attached(str(path), name))
            try:
                yield cursor
            finally:
                cursor.execute(f"detach {name}")

    def copy_to(self, path: Path) -> None:
        """Write the store as it is at one moment to a new file; readers and the writer go on.

        Args:
            path: Where the copy is once it is whole; nothing may be there yet.

        Raises:
            StoreWriteError: Something is there already, or the copy could not be written.
        """
        if path.exists():
            raise StoreWriteError(f"{path}: is there already: expected a new file; name another")
        partial = path.with_name(f"{path.name}.part")
        try:
            partial.unlink(missing_ok=True)
            with self.beside(partial, "copied") as cursor:
                cursor.execute("copy from database store to copied")
            partial.replace(path)
        except (duckdb.Error, OSError) as error:
            partial.unlink(missing_ok=True)
            raise StoreWriteError(
                f"{path}: the copy could not be written ({type(error).__name__}): expected a folder "
                "with room for it; name another"
            ) from error

    def close(self) -> None:
        """Checkpoint and let the file go. A second call does nothing.

        A checkpoint that fails, as on a full disk, loses nothing: the next start replays the log.
        """
        if self._is_closed:
            return
        self._is_closed = True
        with self._write_lock:
            try:
                self._connection.execute("checkpoint store")
            except duckdb.Error as error:
                _LOG.warning("%s: not checkpointed: %s", self.path, error)
            finally:
                self._connection.close()

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _limit(self, memory_limit: str | None) -> None:
        """Set DuckDB's bound; None is DuckDB's own default."""
        self._memory_limit = memory_limit
        with self._cursor() as cursor:
            if memory_limit is None:
                cursor.execute("reset memory_limit")
            else:
                cursor.execute("set memory_limit = $limit", {"limit": memory_limit})

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        cursor = self._connection.cursor()
        try:
            cursor.execute("use store")
            yield cursor
        finally:
            cursor.close()


def _execute(
    cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Parameters | None
) -> duckdb.DuckDBPyConnection:
    """Ask one question; the same text again is not parsed again."""
    (question,) = parsed(cursor, sql)
    return cursor.execute(question, parameters or {})


def _spill_folder(path: Path | None) -> str:
    """Where DuckDB puts what exceeds its memory; its own default is the working folder."""
    if path is None:
        return str(Path(tempfile.gettempdir()) / "toolsight.tmp")
    return f"{path}.tmp"


def _attach(connection: duckdb.DuckDBPyConnection, path: Path | None) -> None:
    if path is not None:
        _make_folder(path)
    target = str(path) if path is not None else ":memory:"
    try:
        connection.execute(_attached(target, "store"))
    except duckdb.IOException as error:
        raise _open_error(target, error) from error
    connection.execute("use store")


def _attached(target: str, name: str) -> str:
    quoted = target.replace("'", "''")
    return f"attach '{quoted}' as {name} (row_group_size {_ROW_GROUP_SIZE})"


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnreadableError(
            f"{path}: its folder cannot be made ({error.strerror}): give another file with --db"
        ) from error


def _open_error(path: str, error: duckdb.IOException) -> StoreBusyError | StoreUnreadableError:
    text = str(error)
    if "lock" in text:
        holder = re.search(r"held in (?P<program>.*?) \(PID (?P<pid>\d+)\)", text)
        who = f"process {holder['pid']} ({holder['program']})" if holder else "another process"
        return StoreBusyError(
            f"{path}: the store is in use by {who}: one process owns it at a time; "
            "stop that process, or give another file with --db"
        )
    return StoreUnreadableError(
        f"{path}: not a Toolsight store, or written by a newer version: "
        "give another file with --db, or upgrade"
    )
