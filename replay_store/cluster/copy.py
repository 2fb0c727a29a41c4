"""Puts rows of the cluster into a local store: what was there of the same traces goes, the new comes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from replay_store.cluster.contract import DERIVED, OPEN_TRACE
from replay_store.cluster.schema import Column

__all__ = ["OPEN", "SPLIT", "Copy", "Part"]

SPLIT: Final = frozenset(DERIVED) - {"trace_link"}
"""Tables of which the store holds open and sealed traces apart."""

OPEN: Final = "mirror.open_trace"
"""Here: the traces that were open where they were received."""

_LONGEST_ROW: Final = 64 << 20
"""Bytes; a row holds at most a few texts of one span."""
_LIST: Final = "VARCHAR[]"
_CHANGED: Final = "update store_state set version = version + 1"

Begin = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


@dataclass(frozen=True, slots=True)
class Part:
    """What changes in one table."""

    table: str
    """By the name under which it is shipped."""
    files: Sequence[Path] = ()
    """The rows that come, as lines of JSON."""
    trace_ids: Collection[str] = ()
    """Traces whose rows go."""
    where: str | None = None
    """Which other rows go."""


class Copy:
    """The local store as a place for rows; none but its owner writes there.

    Args:
        begin: A transaction on it, while which no question is asked.
        columns: Of each shipped table.
    """

    def __init__(self, begin: Begin, columns: Mapping[str, Sequence[Column]]) -> None:
        self._begin = begin
        self.columns = columns

    def prepare(self) -> None:
        """Begin to know which traces are open."""
        with self._begin() as cursor:
            cursor.execute("create schema if not exists mirror")
            cursor.execute(f"create or replace table {OPEN} (trace_id uuid not null)")

    def empty(self, tables: Collection[str]) -> None:
        """Let all rows of these tables go."""
        with self._begin() as cursor:
            for name in sorted(name for table in tables for name in _names(table)):
                cursor.execute(f"delete from {name}")  # noqa: S608 - names of our own

    def put(self, parts: Sequence[Part]) -> None:
        """Make the changes, all or none; a question sees the state before or after. Without any, nothing.

        Which traces are open is put first where it is among them: it says in which half rows belong.
        """
        if not parts:
            return
        with self._begin() as cursor:
            for part in sorted(parts, key=lambda part: part.table != OPEN_TRACE):
                self._forget(cursor, part)
                self._add(cursor, part)
                if part.table == OPEN_TRACE:
                    self._move(cursor)

    def touch(self) -> None:
        """Tell caches that answers may be others now."""
        with self._begin() as cursor:
            cursor.execute(_CHANGED)

    def _forget(self, cursor: duckdb.DuckDBPyConnection, part: Part) -> None:
        for name in _names(part.table):
            if part.where is not None:
                cursor.execute(f"delete from {name} where {part.where}")  # noqa: S608 - names of our own
            if part.trace_ids:
                cursor.execute(
                    f"delete from {name} where trace_id in "  # noqa: S608 - names of our own
                    "(select unnest($trace_ids::varchar[])::uuid)",
                    {"trace_ids": list(part.trace_ids)},
                )

    def _add(self, cursor: duckdb.DuckDBPyConnection, part: Part) -> None:
        if not part.files:
            return
        columns = self.columns[part.table]
        read = ", ".join(f"{column.name}: '{_read_as(column)}'" for column in columns)
        chosen = ", ".join(f"{_written(column)} as {column.name}" for column in columns)
        for name in _names(part.table):
            cursor.execute(
                f"insert into {name} by name select {chosen} from read_json($files, columns = {{{read}}}, "  # noqa: S608 - names of our own
                f"format = 'newline_delimited', maximum_object_size = {_LONGEST_ROW}) "
                f"where {_half(name)}",
                {"files": [str(file) for file in part.files]},
            )

    def _move(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Rows follow their traces when these are sealed, or opened again."""
        for table in sorted(SPLIT):
            for here, there in (
                (f"{table}_open", f"{table}_sealed"),
                (f"{table}_sealed", f"{table}_open"),
            ):
                cursor.execute(f"insert into {there} by name from {here} where {_half(there)}")
                cursor.execute(f"delete from {here} where {_half(there)}")  # noqa: S608 - names of our own


def _names(table: str) -> tuple[str, ...]:
    """The tables of the store that hold the rows of a shipped one."""
    if table == OPEN_TRACE:
        return (OPEN,)
    return (f"{table}_open", f"{table}_sealed") if table in SPLIT else (table,)


def _half(name: str) -> str:
    """Which rows belong into a table of the store."""
    table, _, half = name.rpartition("_")
    if table not in SPLIT or half not in {"open", "sealed"}:
        return "true"
    return f"trace_id {'in' if half == 'open' else 'not in'} (select trace_id from {OPEN})"  # noqa: S608 - names of our own


def _read_as(column: Column) -> str:
    """A truth is shipped as a number, a list that may be missing as text."""
    if column.duck_type == "BOOLEAN":
        return "UTINYINT"
    return "VARCHAR" if column.duck_type == _LIST and column.is_nullable else column.duck_type


def _written(column: Column) -> str:
    if column.duck_type == "BOOLEAN":
        return f"{column.name}::boolean"
    if column.duck_type == _LIST and column.is_nullable:
        return f"{column.name}::json::varchar[]"
    return column.name
