"""The schema `whole`: every table of the store together with its moved days, under the same names.

Writers go on writing the tables of `main`. Once a day has moved, readers ask `whole`, where each table
is a view of that table and its Parquet files; all other views and macros are made there from the same
migrations, so that no question has to know. Views and rows change in one transaction: a reader sees
the days in the store or in the files, never in both.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

import duckdb

from replay_store.migrate import migrations
from replay_store.tier.files import quoted
from replay_store.tier.tables import NUMBERED, RAW, TABLES

__all__ = [
    "HOT",
    "STORE",
    "Places",
    "are_days_there",
    "compose",
    "narrow",
    "prepare",
    "settle",
    "store_id",
]


STORE: Final = "store"
"""The tables that are written."""


class Places(NamedTuple):
    """Where readers ask, and which moved days they cannot read."""

    schema: str
    missing: frozenset[str] = frozenset()
    """Paths of files that are not there."""
    missing_days: tuple[int, ...] = ()
    """Their days; a part of which one file is not there is left out as a whole."""

    def has_returned(self) -> bool:
        """Whether one that was not there is now."""
        return any(Path(path).is_file() for path in self.missing)


HOT: Final = Places(STORE)
"""Of a store from which nothing was moved."""
_WHOLE: Final = "store.whole"
_COLUMNS: Final = """
    select table_name, list(column_name order by column_index), list(data_type order by column_index)
    from duckdb_columns()
    where database_name = 'store'
        and schema_name = 'main'
        and table_name in (select table_name from duckdb_tables() where schema_name = 'main')
    group by table_name
"""
_LATE: Final = """
    insert into main.dirty_trace (trace_id, first_received_time_ns, last_received_time_ns)
    select
        trace_id,
        coalesce(first_received_time_ns, last_received_time_ns),
        last_received_time_ns
    from main.trace
    semi join main.tiered_trace using (trace_id)
"""
"""Traces of which late spans came while their file was not there: derive puts both together."""
_MADE: Final = """
    select 1
    from duckdb_schemas()
    where database_name = 'store'
        and schema_name = 'whole'
"""
"""Whether the schema is there: a store that was made of the rows of another has none."""
_FILES: Final = """
    select part_id, day, table_name, path, column_names
    from main.tier_file
    order by part_id, table_name
"""


def store_id(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """By what the files of this store are known; None while nothing was moved."""
    row = cursor.execute("select store_id from main.tier_store").fetchall()
    return str(row[0][0]) if row else None


def prepare(cursor: duckdb.DuckDBPyConnection) -> Places:
    """Make `whole` in a store from which nothing was moved yet; what is there stays as it is."""
    if store_id(cursor) is None:
        row = {"id": uuid4().hex[:12]}
        cursor.execute("insert into tier_store (store_id, signature) values ($id, '')", row)
    return settle(cursor)


def settle(cursor: duckdb.DuckDBPyConnection) -> Places:
    """Make the views anew where files came or went, or the store was migrated, since they were made.

    Args:
        cursor: Inside a transaction.

    Returns:
        What to ask from now on.
    """
    if store_id(cursor) is None:
        return HOT
    files = _Files.of(cursor)
    [(made,)] = cursor.execute("select signature from tier_store").fetchall()
    if made != files.signature or not cursor.execute(_MADE).fetchall():
        _make(cursor)
        compose(cursor, TABLES)
        cursor.execute(_LATE)
    return Places(_WHOLE, files.absent, tuple(sorted(files.missing_days)))


def are_days_there(cursor: duckdb.DuckDBPyConnection) -> bool:
    """Whether `whole`, as it was made, has all moved days, and each of their files is where it was put."""
    [(made,)] = cursor.execute(
        "select coalesce(max(signature), '') from main.tier_store"
    ).fetchall()
    files = _Files.of(cursor)
    return not files.absent and (not files.rows or made == files.signature)


def narrow(cursor: duckdb.DuckDBPyConnection, trace_id: str) -> None:
    """Have the views read, for this cursor, only the files of the parts that hold one trace.

    A file costs a fifth of a millisecond to look into, and each table has one a day or more. Raw
    outputs are left as they are: another trace may hold the same.
    """
    parts = cursor.execute(
        "select list(part_id) from main.tiered_trace where trace_id = try_cast($trace_id as uuid)",
        {"trace_id": trace_id},
    ).fetchall()
    listed = ", ".join(str(part) for part in parts[0][0] or ())
    cursor.execute(f"set variable moved_parts = [{listed}]::integer[]")


def compose(cursor: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> None:
    """Make the views of these tables anew: the table, and the files of it that are there."""
    columns, files = _columns(cursor), _Files.of(cursor)
    for table in tables:
        mine, legs = columns[table], files.legs(table)
        _view(cursor, table, _hot(table, _listed(mine)), _legs(table, mine, legs))
        if table in NUMBERED:
            numbered = mine | {"row_number": "BIGINT"}
            hot = _hot(table, "*, rowid as row_number")
            _view(cursor, NUMBERED[table], hot, _legs(table, numbered, legs))
    cursor.execute("update tier_store set signature = $it", {"it": files.signature})


class _Files(NamedTuple):
    """What the ledger says, beside what is there."""

    rows: Sequence[tuple[int, int, str, str, list[str]]]
    """Part, day, table, path and columns of each file, by part."""
    absent: frozenset[str]
    missing_parts: frozenset[int]
    missing_days: frozenset[int]

    @classmethod
    def of(cls, cursor: duckdb.DuckDBPyConnection) -> "_Files":
        """All files of the store that the cursor sees."""
        rows: list[Any] = cursor.execute(_FILES).fetchall()
        lost = [row for row in rows if not Path(row[3]).is_file()]
        return cls(
            rows,
            frozenset(row[3] for row in lost),
            frozenset(row[0] for row in lost),
            frozenset(row[1] for row in lost),
        )

    @property
    def signature(self) -> str:
        """Changes with the migrations and with the files that can be read."""
        made_from = [migration.sha256 for migration in migrations()]
        made_from += [path for part, _, _, path, _ in self.rows if part not in self.missing_parts]
        return hashlib.sha256("\n".join(made_from).encode()).hexdigest()

    def legs(self, table: str) -> "list[_Leg]":
        """The files of a table that can be read, those of the same columns together."""
        found: dict[tuple[str, ...], _Leg] = {}
        for part, _, name, path, columns in self.rows:
            if name == table and part not in self.missing_parts:
                leg = found.setdefault(tuple(columns), _Leg(tuple(columns), [], []))
                leg.parts.append(part)
                leg.paths.append(path)
        return list(found.values())


class _Leg(NamedTuple):
    """Files of one table that have the same columns."""

    columns: tuple[str, ...]
    parts: list[int]
    paths: list[str]

    def listed(self, table: str) -> str:
        """The files as SQL: all, or those of the parts to which a cursor was narrowed, at least one."""
        if table == RAW:
            return quoted(self.paths)
        parts = "getvariable('moved_parts')"
        return (
            f"coalesce(nullif(list_filter({quoted(self.paths)}, lambda path, place: {parts} is null "
            f"or list_contains({parts}, ({self.parts})[place])), []), {quoted(self.paths[:1])})"
        )


def _make(cursor: duckdb.DuckDBPyConnection) -> None:
    """`whole` from its beginning: the migrations say what is in it, and every table becomes a view."""
    cursor.execute("drop schema if exists store.whole cascade")
    cursor.execute("create schema store.whole")
    cursor.execute("use store.whole")
    try:
        for migration in migrations():
            cursor.execute(migration.sql)
        for table, names in _columns(cursor).items():
            if table == "migration":
                continue
            cursor.execute(f"drop table {table}")
            _view(cursor, table, _hot(table, _listed(names)), [])
    finally:
        cursor.execute("use store")


def _view(cursor: duckdb.DuckDBPyConnection, name: str, hot: str, legs: Sequence[str]) -> None:
    # Names come from the store's own tables, paths are quoted.
    cursor.execute(f"create or replace view {_WHOLE}.{name} as {' union all '.join([hot, *legs])}")


def _hot(table: str, listed: str) -> str:
    return f"select {listed} from store.main.{table}"  # noqa: S608 - names of our own tables


def _legs(table: str, columns: Mapping[str, str], legs: "Iterable[_Leg]") -> list[str]:
    """One leg for all files of the same columns; a column that is newer than a file is NULL there."""
    still = (
        "raw_output using (raw_id)" if table == RAW else "returned_trace using (trace_id, part_id)"
    )
    return [
        f"select {_listed(columns, leg.columns)} "  # noqa: S608 - our own names, quoted paths
        f"from read_parquet({leg.listed(table)}, hive_partitioning = false) "
        f"as moved anti join store.main.{still}"
        for leg in legs
    ]


def _listed(columns: Mapping[str, str], known: Iterable[str] | None = None) -> str:
    held = set(columns if known is None else known)
    return ", ".join(
        f'"{name}"' if name in held else f'null::{kind} as "{name}"'
        for name, kind in columns.items()
    )


def _columns(cursor: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    rows: list[tuple[Any, ...]] = cursor.execute(_COLUMNS).fetchall()
    return {table: dict(zip(names, kinds, strict=True)) for table, names, kinds in rows}
