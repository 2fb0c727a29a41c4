"""Keeps the rollups: what sealed traces add to them, and take away when they open again.

The rollups hold the sealed traces and nothing else, so that a figure is rollups + open rows; what is
added and what is taken away is one text over the open tables.
"""

from typing import Final

import duckdb

from replay_store.statements import run

__all__ = ["add", "open_again"]

_ADDED: Final = 1
_TAKEN: Final = -1


def add(cursor: duckdb.DuckDBPyConnection) -> None:
    """Add the traces of the temporary table `chosen`, all open, which are about to be sealed."""
    cursor.execute("create or replace temp table rolled as select trace_id from chosen")
    _change(cursor, _ADDED, "derive/rollup/add_parts")


def open_again(cursor: duckdb.DuckDBPyConnection) -> None:
    """Open the traces of the temporary table `rolled`, all sealed, and take them out of the rollups."""
    run(cursor, "derive/rollup/open")
    run(cursor, "derive/rollup/forget")
    _change(cursor, _TAKEN, "derive/rollup/take_parts")


def _change(cursor: duckdb.DuckDBPyConnection, sign: int, parts: str) -> None:
    sql = "create or replace temp table rolling as select $sign::bigint as sign"
    cursor.execute(sql, {"sign": sign})
    for name in ("derive/rollup/delta", parts, "derive/rollup/merge"):
        run(cursor, name)
