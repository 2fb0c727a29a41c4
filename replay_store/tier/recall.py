"""Moved traces come back: their rows leave the files for the tables they were in.

A late span of a moved trace brings it back, as it opens a sealed one: the trace is then derived from all
that came of it. Rows are only ever in one place: who has come back stands in `returned_trace`, by which
the views leave the rows in the files out.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb

from replay_store.tier.files import quoted
from replay_store.tier.tables import DERIVED, RAW, READ
from replay_store.tier.views import compose

if TYPE_CHECKING:
    from replay_store.raw_ids import RawIds

__all__ = ["Emptied", "bring", "chosen", "drop_empty", "readable_parts"]

_CHOOSE: Final = """
    create or replace temp table recalled as
    select distinct
        tiered_trace.trace_id,
        tiered_trace.part_id
    from main.tiered_trace
    where tiered_trace.trace_id in ({which})
"""
_CAME_AGAIN: Final = """
    create or replace temp table came_again as
    select distinct trace_id, record_hash from main.span semi join recalled using (trace_id)
    union
    select distinct trace_id, record_hash from main.span_log semi join recalled using (trace_id)
    union
    select distinct trace_id, record_hash from main.noise_log semi join recalled using (trace_id)
"""
_WAITING: Final = """
    insert into main.dirty_trace (trace_id, first_received_time_ns, last_received_time_ns)
    select trace_id, min(received_time_ns), max(received_time_ns)
    from main.span
    semi join recalled using (trace_id)
    group by trace_id
"""
_FILES: Final = """
    select
        table_name,
        column_names,
        list(path order by part_id)
    from main.tier_file
    semi join recalled using (part_id)
    where table_name <> 'raw_output'
    group by table_name, column_names
"""
_EMPTY: Final = """
    create or replace temp table emptied as
    select part_id from main.tier_file
    except
    select part_id from main.tiered_trace
"""


class Emptied(NamedTuple):
    """What is left of parts that hold no trace any more."""

    paths: tuple[str, ...] = ()
    """Their files, to be removed once the transaction is committed."""
    n_raw: int = 0
    """Raw outputs that nobody holds and that go with them."""


def readable_parts(cursor: duckdb.DuckDBPyConnection) -> list[int]:
    """The parts of which every file is there, oldest first."""
    parts = _rows(cursor, "select part_id, list(path) from main.tier_file group by 1 order by 1")
    return [part for part, paths in parts if all(map(_is_there, paths))]


def chosen(cursor: duckdb.DuckDBPyConnection, which: str) -> bool:
    """Note in the temporary table `recalled` which of some traces were moved and can be read.

    Args:
        cursor: Inside a transaction.
        which: A query of trace ids.

    Returns:
        Whether there is one. What lies in a file that is not there stays moved.
    """
    if not _rows(cursor, "select 1 from main.tiered_trace limit 1"):
        return False
    cursor.execute(_CHOOSE.format(which=which))
    if not _rows(cursor, "select 1 from recalled limit 1"):
        return False
    there = {"there": readable_parts(cursor)}
    cursor.execute("delete from recalled where not list_contains($there, part_id)", there)
    return bool(_rows(cursor, "select 1 from recalled limit 1"))


def bring(cursor: duckdb.DuckDBPyConnection, *, is_derived: bool = True) -> None:
    """Put the traces of `recalled` back as they were when they moved; nothing of them is derived now.

    A record that came again meanwhile is there already. Raw outputs stay in the files: several
    traces may hold one, and readers find it there.

    Args:
        cursor: Inside a transaction.
        is_derived: With their derived rows, which the rollups hold; without, they wait to be derived.
    """
    cursor.execute(_CAME_AGAIN)
    for table, names, paths in _rows(cursor, _FILES):
        if table in DERIVED and not is_derived:
            continue
        listed = ", ".join(f'"{name}"' for name in names if name not in ("part_id", "row_number"))
        known = "anti join came_again using (trace_id, record_hash)" if table in READ else ""
        cursor.execute(
            f"insert into main.{table} ({listed}) "  # noqa: S608 - names of our own tables
            f"select {listed} from read_parquet({quoted(paths)}, hive_partitioning = false) as moved "
            f"semi join recalled using (trace_id, part_id) {known}"
        )
    if not is_derived:
        cursor.execute(_WAITING)
    cursor.execute("insert into main.returned_trace by name from recalled")
    cursor.execute(
        "delete from main.tiered_trace where trace_id in (select trace_id from recalled)"
    )


def drop_empty(cursor: duckdb.DuckDBPyConnection, raw_ids: "RawIds") -> Emptied:
    """Forget the parts of which every trace has come back or gone.

    Args:
        cursor: Inside a transaction.
        raw_ids: Of the store; told of the raw outputs that come back.
    """
    cursor.execute(_EMPTY)
    found = _rows(
        cursor,
        "select table_name, path, n_rows from main.tier_file semi join emptied using (part_id)",
    )
    if not found:
        return Emptied()
    raw = {path: n_rows for table, path, n_rows in found if table == RAW and _is_there(path)}
    n_kept = _keep_raw(cursor, raw_ids, list(raw))
    for table in ("tier_file", "returned_trace"):
        cursor.execute(f"delete from main.{table} where part_id in (select part_id from emptied)")  # noqa: S608
    compose(cursor, {table for table, _, _ in found})
    return Emptied(tuple(path for _, path, _ in found), sum(raw.values()) - n_kept)


def _keep_raw(cursor: duckdb.DuckDBPyConnection, raw_ids: "RawIds", paths: list[str]) -> int:
    """Raw outputs that a trace somewhere still holds come back before their file goes; how many stay."""
    if not paths:
        return 0
    files = f"read_parquet({quoted(paths)}, hive_partitioning = false)"
    held = "raw_id in (select raw_id from whole.raw_occurrence)"
    [(n_held,)] = _rows(cursor, f"select count(*) from {files} where {held}")  # noqa: S608
    came = _rows(
        cursor,
        f"insert into main.raw_output by name select * exclude (part_id) from {files} "  # noqa: S608
        f"where {held} and raw_id not in (select raw_id from main.raw_output) returning raw_id",
    )
    raw_ids.came_back(raw_id for (raw_id,) in came)
    return int(n_held)


def _is_there(path: str) -> bool:
    return Path(path).is_file()


def _rows(cursor: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return cursor.execute(sql).fetchall()
