"""A new store of every row that can still be read in a damaged one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from replay_store.database import Database
from replay_store.doctor import OnProgress, tables_of
from replay_store.errors import StoreWriteError

__all__ = ["Salvaged", "salvage"]

_CHUNK: Final = 2_048
"""Rows that are copied or lost together: a vector of DuckDB."""
_MADE_ANEW: Final = frozenset(
    {
        "migration",
        "store_state",
        "dirty_trace",
        "trace_link",
        "task_part",
        "labelled_decision",
        "labelled_trace",
        "ship_outbox",
        "ship_block",
    }
)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What became of the rows of one table."""

    table: str
    n_kept: int
    n_lost: int


def salvage(
    database: Database, path: Path, *, on_progress: OnProgress | None = None
) -> list[Salvaged]:
    """Copy what can be read to a new store; what is derived is left to be made anew there.

    Args:
        database: The damaged store; nothing in it changes.
        path: The new file; there `tier.back.take_in` takes days over that were moved to files, and
            `ingest.rebuild` maps and derives what came over.
        on_progress: Called after each table.

    Returns:
        Each table that was copied, by name.

    Raises:
        StoreWriteError: Something is there already.
    """
    if path.exists():
        raise StoreWriteError(f"{path}: is there already: expected a new file; name another")
    with Database.open(path) as fresh:
        columns = {table: names for table, names in tables_of(fresh).items() if _is_copied(table)}
    found = []
    with database.beside(path, "salvaged") as cursor:
        for place, (table, names) in enumerate(columns.items(), 1):
            found.append(_copied(cursor, table, names))
            if on_progress is not None:
                on_progress(place, len(columns))
    return found


def _is_copied(table: str) -> bool:
    return not (
        table in _MADE_ANEW or table.endswith(("_open", "_sealed")) or table.startswith("rollup_")
    )


def _copied(cursor: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> Salvaged:
    listed = ", ".join(f'"{name}"' for name in names)
    copy = (
        f'insert into salvaged.main."{table}" ({listed}) select {listed} '  # noqa: S608
        f'from store.main."{table}" where rowid >= $first and rowid < $end'
    )
    count = f'select count(*) from store.main."{table}" where rowid >= $first and rowid < $end'  # noqa: S608
    n_kept = n_lost = 0
    for first in _starts(cursor, table):
        bounds = {"first": first, "end": first + _CHUNK}
        [(n_rows,)] = cursor.execute(count, bounds).fetchall()
        try:
            cursor.execute(copy, bounds)
        except duckdb.Error:
            n_lost += n_rows
        else:
            n_kept += n_rows
    return Salvaged(table, n_kept, n_lost)


def _starts(cursor: duckdb.DuckDBPyConnection, table: str) -> Iterator[int]:
    [(last,)] = cursor.execute(f'select max(rowid) from store.main."{table}"').fetchall()  # noqa: S608
    return iter(range(0, 0 if last is None else last + 1, _CHUNK))
