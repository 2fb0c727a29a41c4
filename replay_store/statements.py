"""SQL texts of this package, read and parsed once from the files beside it."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import duckdb

__all__ = ["execute", "parsed", "run", "statement"]

_MOST: Final = 1_000
"""Texts that are kept parsed; composed ones come and go."""

_PARSED: Final[dict[str, list[duckdb.Statement]]] = {}


@cache
def statement(name: str) -> str:
    """The text of `replay_store/<name>.sql`; `name` may hold a folder, such as `derive/trace`."""
    return (files(__package__) / f"{name}.sql").read_text(encoding="utf-8")


def parsed(cursor: duckdb.DuckDBPyConnection, sql: str) -> list[duckdb.Statement]:
    """The statements of a text, parsed once: parsing is a fifth of what a small one costs.

    They belong to no connection, and several threads may run them at a time.
    """
    found = _PARSED.get(sql)
    if found is None:
        found = cursor.extract_statements(sql)
        if len(_PARSED) >= _MOST:
            _PARSED.clear()
        _PARSED[sql] = found
    return found


def execute(
    cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Run one statement; the same text again is not parsed again."""
    (only,) = parsed(cursor, sql)
    return cursor.execute(only, parameters or {})


def run(
    cursor: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Run the statements of a file in order.

    Args:
        cursor: Where.
        name: As of `statement`.
        parameters: Each statement is given those that it names; DuckDB takes no others.

    Returns:
        The cursor, with the answer of the last statement.
    """
    for part in parsed(cursor, statement(name)):
        cursor.execute(part, {key: (parameters or {})[key] for key in part.named_parameters})
    return cursor
