"""Old days move out of the store into Parquet files, whole traces, a part at a time.

A part is written from a snapshot while the store goes on taking traces, and is on the disk before one
transaction names its files, takes its rows out of the store and turns the views to the files. A stop
at any moment leaves each row in one place; the next run goes on, and clears what was cut off.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from replay_store.database import Database
from replay_store.errors import StoreFullError, StoreWriteError
from replay_store.statements import statement
from replay_store.tier.files import abandoned, placed, quoted, removed, writable
from replay_store.tier.recall import drop_empty
from replay_store.tier.tables import DERIVED, NUMBERED, RAW, READ, TABLES
from replay_store.tier.views import compose, store_id

__all__ = ["MovedFile", "move"]

PART: Final = 50_000
"""Traces of one part: bounds what is sorted at a time, and how long what arrives waits for its commit."""
_TRIES: Final = 3
_ROW_GROUP: Final = 8_192
"""Rows of a row group: what one trace costs to read, against how well its texts compress together."""
_RAW_FILES: Final = "select path from main.tier_file where table_name = 'raw_output'"
_FIRST_NUMBER: Final = -(1 << 62)
"""Numbers of moved rows begin far below those of the store's own."""


class MovedFile(NamedTuple):
    """One file that was written, or the rows of one table that go into it."""

    table: str
    day: int
    n_rows: int
    n_bytes: int


class _Staged(NamedTuple):
    part_id: int
    day: int
    n_traces: int
    sums: Mapping[str, int]
    """The sum of the row ids of each table: other rows would have another."""
    files: tuple["_File", ...]


class _File(NamedTuple):
    table: str
    path: Path
    n_rows: int
    n_bytes: int
    first_row: int | None
    columns: list[str]


def move(
    database: Database,
    folder: Path,
    *,
    before_ns: int,
    now_ns: int,
    on_progress: Callable[[int], None] | None = None,
) -> list[MovedFile]:
    """Move the sealed traces that are older than a moment; others may go on reading and writing.

    Args:
        database: The store.
        folder: Where the files go, made as needed; the store keeps its absolute path.
        before_ns: Traces whose age is before this go.
        now_ns: Kept as the time of the move.
        on_progress: Called with the number of traces moved so far.

    Returns:
        The files written, oldest day first; empty when nothing was old enough.

    Raises:
        StoreFullError: No room for the files; what was moved so far stays moved.
        StoreWriteError: The folder cannot be written, or traces changed again and again meanwhile.
    """
    folder, moved, n_traces = folder.absolute(), list[MovedFile](), 0
    database.keep_days_apart()
    try:
        _clear(database, folder)
        while (staged := _move_part(database, folder, before_ns, now_ns)) is not None:
            moved += [MovedFile(f.table, staged.day, f.n_rows, f.n_bytes) for f in staged.files]
            n_traces += staged.n_traces
            if on_progress is not None:
                on_progress(n_traces)
    except (duckdb.IOException, OSError) as error:
        raise _write_error(folder, error) from error
    if moved:
        # While somebody reads it may be refused; a later one, at the latest that of `close`, does it.
        with suppress(duckdb.TransactionException):
            database.checkpoint()
    return moved


def _move_part(database: Database, folder: Path, before_ns: int, now_ns: int) -> _Staged | None:
    """Move the next traces; None when no more are old enough."""
    for _ in range(_TRIES):
        staged = _stage(database, folder, before_ns)
        if staged is None:
            return None
        if _committed(database, staged, now_ns):
            return staged
        removed(file.path for file in staged.files)
    raise StoreWriteError(
        "tier: traces changed each time they were to move: a rebuild may be running; run it again later"
    )


def _stage(database: Database, folder: Path, before_ns: int) -> _Staged | None:
    """Write the next part, of one day, from one snapshot; None when there is nothing."""
    with database.snapshot() as cursor:
        cursor.execute(statement("sql/tier_choose"), {"before_ns": before_ns, "n": PART})
        [(n_traces, day)] = _rows(cursor, "select count(*), min(day) from moving")
        if not n_traces:
            return None
        cursor.execute(statement("sql/tier_choose_raw"))
        [(part_id,)] = _rows(cursor, "select coalesce(max(part_id), 0) + 1 from main.tier_file")
        name = store_id(cursor) or ""
        sums = {table: _row_sum(cursor, table) for table in TABLES}
        files = [
            _written(cursor, table, placed(folder, table, day, name, part_id), part_id)
            for table in TABLES
            if sums[table]
        ]
    return _Staged(part_id, day, n_traces, sums, tuple(files))


def _written(cursor: duckdb.DuckDBPyConnection, table: str, path: Path, part_id: int) -> _File:
    """Write the rows of one table."""
    first = _first_row(cursor, table)
    select = _raw_sql(cursor, part_id) if table == RAW else _select_sql(table, part_id, first)
    with writable(path) as partial:
        # Quoted paths; names and numbers are our own.
        [(n_rows,)] = _rows(
            cursor,
            f"copy ({select}) to {quoted([partial])[1:-1]} "
            f"(format parquet, compression zstd, row_group_size {_ROW_GROUP}, use_tmp_file false)",
        )
    described = _rows(cursor, f"describe ({select})")
    return _File(table, path, n_rows, path.stat().st_size, first, [row[0] for row in described])


def _committed(database: Database, staged: _Staged, now_ns: int) -> bool:
    """Take the rows of a part out of the store, where they are what was written; False otherwise."""
    traces = next(file for file in staged.files if file.table == DERIVED[0])
    with database.transaction() as cursor:
        written = f"select trace_id from read_parquet({quoted([traces.path])})"  # noqa: S608
        cursor.execute(f"create or replace temp table moving as {written}")
        cursor.execute(statement("sql/tier_choose_raw"))
        if not _is_unchanged(cursor, staged):
            return False
        cursor.execute(statement("sql/tier_remember"), {"part_id": staged.part_id})
        for table in (*DERIVED, *READ):
            cursor.execute(f"delete from {table} where trace_id in (select trace_id from moving)")  # noqa: S608
        cursor.execute("delete from raw_output where raw_id in (select raw_id from moving_raw)")
        database.raw_ids.forget_found()
        for file in staged.files:
            cursor.execute(statement("sql/tier_remember_file"), _ledger_row(staged, file, now_ns))
        compose(cursor, {file.table for file in staged.files})
        cursor.execute(statement("sql/bump_version"))
    return True


def _is_unchanged(cursor: duckdb.DuckDBPyConnection, staged: _Staged) -> bool:
    """Whether the store holds the very rows that were written, and nothing came after them."""
    if _rows(cursor, "select 1 from dirty_trace semi join moving using (trace_id) limit 1"):
        return False
    return all(_row_sum(cursor, table) == n for table, n in staged.sums.items())


def _row_sum(cursor: duckdb.DuckDBPyConnection, table: str) -> int:
    """The sum of the row ids, from 1, of what moves of one table; 0 when nothing does."""
    which = "moving_raw using (raw_id)" if table == RAW else "moving using (trace_id)"
    sql = (
        f"select sum(store_row.rowid + 1)::hugeint from main.{table} as store_row semi join {which}"  # noqa: S608
    )
    [(total,)] = _rows(cursor, sql)
    return int(total or 0)


def _select_sql(table: str, part_id: int, first: int | None) -> str:
    order = "moving.place, store_row.rowid"
    number = (
        ""
        if first is None
        else f", {first} + row_number() over (order by {order}) - 1 as row_number"
    )
    return (
        f"select store_row.*, {part_id}::integer as part_id{number} from main.{table} as store_row "  # noqa: S608
        f"inner join moving on store_row.trace_id = moving.trace_id order by {order}"
    )


def _raw_sql(cursor: duckdb.DuckDBPyConnection, part_id: int) -> str:
    """Texts that lie in no file yet: a trace that moved before may have held the same."""
    paths = [path for (path,) in _rows(cursor, _RAW_FILES) if Path(path).is_file()]
    known = f"anti join read_parquet({quoted(paths)}) using (raw_id)" if paths else ""
    return (
        f"select raw_output.*, {part_id}::integer as part_id from main.raw_output "  # noqa: S608
        f"semi join moving_raw using (raw_id) {known} order by raw_id"
    )


def _first_row(cursor: duckdb.DuckDBPyConnection, table: str) -> int | None:
    if table not in NUMBERED:
        return None
    sql = "select max(first_row + n_rows) from main.tier_file where table_name = $table"
    [(last,)] = cursor.execute(sql, {"table": table}).fetchall()
    return _FIRST_NUMBER if last is None else int(last)


def _ledger_row(staged: _Staged, file: _File, now_ns: int) -> Mapping[str, Any]:
    return {
        "part_id": staged.part_id,
        "day": staged.day,
        "table_name": file.table,
        "path": str(file.path),
        "n_rows": file.n_rows,
        "n_bytes": file.n_bytes,
        "first_row": file.first_row,
        "column_names": file.columns,
        "moved_time_ns": now_ns,
    }


def _clear(database: Database, folder: Path) -> None:
    """Remove files that no transaction names, and those of parts that are empty."""
    with database.transaction() as cursor:
        emptied = drop_empty(cursor, database.raw_ids)
        known = [path for (path,) in _rows(cursor, "select path from tier_file")]
        name = store_id(cursor) or ""
    removed([*emptied.paths, *abandoned(folder, name, known)])


def _write_error(folder: Path, error: Exception) -> StoreWriteError:
    if "No space left" in str(error):
        return StoreFullError(
            f"{folder}: the disk is full: expected room; free some, then run it again"
        )
    return StoreWriteError(
        f"{folder}: cannot be written ({type(error).__name__}): expected a folder that may be written to; "
        "what was moved before stays moved"
    )


def _rows(cursor: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return cursor.execute(sql).fetchall()
