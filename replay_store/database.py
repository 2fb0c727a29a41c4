"""The one owner of the DuckDB file: a connection, a fresh cursor a call, results always drained.

DuckDB allows one process to open a file for writing, and one cursor to serve one thread at a time.
The file is opened by ATTACH from an in-memory connection: a file whose log was cut off by a crash
can then still be replayed.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

import duckdb
import pyarrow as pa

from replay_store.attach import attach, attached, spill_folder
from replay_store.errors import StoreMemoryError, StoreWriteError
from replay_store.known_rows import RecentSpans
from replay_store.memory import MemoryLimit, tells_of_memory
from replay_store.migrate import apply_migrations
from replay_store.raw_ids import RawIds
from replay_store.sealed_ids import SealedIds
from replay_store.statements import execute
from replay_store.tier.views import HOT, STORE, narrow, prepare, settle

if TYPE_CHECKING:
    import pandas as pd

_LOG: Final = logging.getLogger(__name__)
_SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "checkpoint_threshold": "128MB",
}

Parameters = Mapping[str, Any]
_Result = TypeVar("_Result")
_Tuple = TypeVar("_Tuple", bound=NamedTuple)
_Told = tuple[tuple[str, ...], list[tuple[Any, ...]]]


class Database:
    """An open store. Safe to share between threads: every call takes its own cursor.

    Whatever needs more memory than there is raises StoreMemoryError; a question that exceeds a
    bound is asked again with room before that.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: Path | None,
        memory_limit: str | None = None,
    ) -> None:
        self._connection = connection
        self._memory = MemoryLimit(connection, memory_limit)
        self.path = path
        self.raw_ids = RawIds(self)
        self.recent_spans = RecentSpans(self)
        self.sealed_ids = SealedIds(self)
        self._write_lock = threading.RLock()
        self._copy_lock = threading.Lock()
        self._is_closed = False
        self._n_commits = 0
        self._known: dict[str, tuple[int, dict[str, Any] | None]] = {}
        self._places = HOT

    @property
    def is_engine(self) -> bool:
        """Whether it is a cluster that is read: nothing is received here, and only alerts are kept."""
        return False

    @property
    def is_partial(self) -> bool:
        """Whether answers lack what a shard of a cluster holds that did not answer."""
        return False

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
        settings = _SETTINGS | {"temp_directory": spill_folder(path)}
        if memory_limit:
            settings["memory_limit"] = memory_limit
        connection = duckdb.connect(":memory:", config=settings)
        try:
            attach(connection, path)
            apply_migrations(connection)
        except BaseException:
            connection.close()
            raise
        database = cls(connection, path, memory_limit)
        database.look_for_days()
        return database

    def rows(
        self,
        sql: str,
        parameters: Parameters | None = None,
        *,
        only_here: bool = False,
        of_trace: str | None = None,
    ) -> list[dict[str, Any]]:
        """The answer as dictionaries, one a row, in the order of the query.

        Args:
            sql: One question.
            parameters: What it names.
            only_here: Without the days that were moved out of the store.
            of_trace: The only trace of which rows are wanted: of moved days only its files are read.
        """
        names, found = self._told(sql, parameters, of_trace, STORE if only_here else None)
        return [dict(zip(names, row, strict=True)) for row in found]

    def tuples(
        self,
        kind: type[_Tuple],
        sql: str,
        parameters: Parameters | None = None,
        *,
        of_trace: str | None = None,
    ) -> list[_Tuple]:
        """The answer as named tuples, where rows are many: making dictionaries costs twice as much.

        Args:
            kind: Its fields are the columns.
            sql: One question.
            parameters: What it names.
            of_trace: As of `rows`.

        Raises:
            ValueError: The columns are not the fields of `kind` in their order; names both.
        """
        names, found = self._told(sql, parameters, of_trace)
        if names != kind._fields:
            raise ValueError(f"columns {names}: expected the fields {kind._fields} in their order")
        return list(map(kind._make, found))

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
        return self._asked(sql, parameters, duckdb.DuckDBPyConnection.df)

    @property
    def missing_days(self) -> tuple[int, ...]:
        """Moved days, since the epoch, of which a file is not where it was put: readers go without."""
        if self._places.has_returned():
            self.look_for_days()
        return self._places.missing_days

    def look_for_days(self) -> None:
        """Ask moved days where their files are now; those of which one is not there are left out."""
        with self.transaction() as cursor:
            self._places = settle(cursor)

    def keep_days_apart(self) -> None:
        """From now on days may move out: readers ask for rows wherever they are (see `tier`)."""
        with self.transaction() as cursor:
            self._places = prepare(cursor)

    @contextmanager
    def bounded(self, memory_limit: str) -> Iterator[None]:
        """Inside the block, DuckDB holds no more than this in memory, such as `64MB`.

        Without a bound it keeps what it wrote until the machine has no room. Of several blocks at a
        time the widest holds.
        """
        with self._memory.bounded(memory_limit):
            yield

    def with_room(self, work: Callable[[], _Result]) -> _Result:
        """What the work gives; work that exceeds the bound on memory is done again with room for it.

        Args:
            work: Leaves nothing behind when it fails, as a transaction does.

        Raises:
            StoreMemoryError: There is no room for it either.
        """
        return self._memory.with_room(work)

    def batches(self, sql: str, n_rows: int) -> "Iterator[pa.RecordBatch]":
        """The answer as Arrow batches of about so many rows, at least one, perhaps without rows.

        They are not kept, so they are not asked for again: give `with_room` all that is done with them.
        """
        with self._cursor(self._places.schema) as cursor:
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

    @contextmanager
    def snapshot(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that sees the store as it is at one moment; readers and the writer go on."""
        with self._cursor() as cursor:
            cursor.begin()
            try:
                yield cursor
            finally:
                cursor.rollback()

    @contextmanager
    def whole(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Inside the block, the cursor of a transaction reads moved days too; it can write `main` only."""
        cursor.execute(f"use {self._places.schema}")
        try:
            yield
        finally:
            cursor.execute(f"use {STORE}")

    def checkpoint(self) -> None:
        """Move the log into the file, so that the next start has nothing to replay."""
        self.with_room(self._checkpoint)

    @contextmanager
    def beside(self, path: Path, name: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that sees a second file under that name too; one at a time, detached at the end."""
        with self._copy_lock, self._cursor() as cursor:
            cursor.execute(attached(str(path), name))
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
        self.sealed_ids.close()
        self.raw_ids.close()
        with self._write_lock:
            try:
                self._connection.execute("checkpoint store")
            except duckdb.Error as error:
                _LOG.warning("%s: not checkpointed: %s", self.path, error)
            finally:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _asked(
        self,
        sql: str,
        parameters: Parameters | None,
        read: Callable[[duckdb.DuckDBPyConnection], _Result],
        schema: str | None = None,
    ) -> _Result:
        """What is read of the answer to one question."""

        def ask() -> _Result:
            with self._cursor(schema or self._places.schema) as cursor:
                return read(execute(cursor, sql, parameters))

        return self._read_days(ask)

    def _told(
        self,
        sql: str,
        parameters: Parameters | None,
        of_trace: str | None,
        schema: str | None = None,
    ) -> _Told:
        """The names of the columns, and the rows."""
        if of_trace is None or self._places is HOT:
            return self._asked(sql, parameters, _fetched, schema)

        def ask() -> _Told:
            with self._cursor(self._places.schema) as cursor:
                # One snapshot: between looking and asking the trace may move, or come back.
                cursor.begin()
                narrow(cursor, of_trace)
                return _fetched(execute(cursor, sql, parameters))

        return self._read_days(ask)

    def _read_days(self, ask: Callable[[], _Result]) -> _Result:
        """The answer; where files of moved days are gone, what is said without those."""
        try:
            return self.with_room(ask)
        except duckdb.IOException:
            before = self._places
            if before.schema == STORE:
                raise
            self.look_for_days()
            if self._places == before:
                raise
            return self.with_room(ask)

    def _checkpoint(self) -> None:
        with self._write_lock, self._cursor() as cursor:
            cursor.execute("checkpoint store")

    @contextmanager
    def _cursor(self, schema: str = STORE) -> Iterator[duckdb.DuckDBPyConnection]:
        cursor = self._connection.cursor()
        try:
            cursor.execute(f"use {schema}")
            yield cursor
        except duckdb.Error as error:
            if not tells_of_memory(error):
                raise
            raise StoreMemoryError(
                "store: more memory was needed than there is: expected less at a time, such as a "
                "shorter period; ask for less, or set TOOLSIGHT_MEMORY_LIMIT higher"
            ) from error
        finally:
            cursor.close()
            self._memory.settle()


def _fetched(result: duckdb.DuckDBPyConnection) -> _Told:
    """The names of the columns, and the rows."""
    return tuple(column[0] for column in result.description or ()), result.fetchall()
