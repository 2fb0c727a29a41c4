"""A cursor that writes only into some tables."""

import re
from collections.abc import Collection
from typing import Any, Final

import duckdb

from replay_store.errors import EngineReadOnlyError

__all__ = ["Guarded"]

_WRITES: Final = re.compile(
    r"(?:\s|--[^\n]*\n)*(?P<verb>insert|update|delete|create|drop|alter|merge|truncate|copy)\b"
    r"(?:\s+into\s+(?P<table>\w+))?",
    re.IGNORECASE,
)


class Guarded:
    """Stands for a cursor; what it does not know of goes there.

    Args:
        cursor: Inside a transaction.
        tables: Into which rows may be inserted.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, tables: Collection[str]) -> None:
        self._cursor = cursor
        self._tables = tables

    def execute(self, query: Any, *parameters: Any) -> duckdb.DuckDBPyConnection:
        """Run one statement.

        Raises:
            EngineReadOnlyError: It writes anything else.
        """
        text = query if isinstance(query, str) else query.query
        writes = _WRITES.match(text)
        if writes and writes["table"] not in self._tables:
            raise EngineReadOnlyError(
                "engine: what people keep is not written from here: expected a receiver's own pages or "
                "commands; do it there, and it is shipped"
            )
        return self._cursor.execute(query, *parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)
