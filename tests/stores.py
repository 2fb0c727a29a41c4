"""Empty stores in memory, each a copy of one that was migrated once: a twelfth of the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from replay_store import Database
from replay_store.attach import attached

_IDLE: "Final[list[_Engine]]" = []
"""Engines that hold no store now. A store begins on one and ends with it."""


class _Engine:
    """One DuckDB instance with a migrated store to copy from."""

    def __init__(self) -> None:
        self.first = Database.open()
        self._connection = self.first._connection
        self._execute("attach ':memory:' as template", "copy from database store to template")
        tables = self.first.rows(
            "select table_name as name from duckdb_tables() where database_name = 'template'"
        )
        names = [row["name"] for row in tables]
        self._filled = [name for name in names if self.first.row(f"from template.{name} limit 1")]
        self._execute("use template", "detach store")

    def begin(self) -> Database:
        """A store of its own, as `Database.open()` gives it."""
        self._execute(
            attached(":memory:", "store"),
            "copy from database template to store (schema)",
            *(f"insert into store.{name} from template.{name}" for name in self._filled),
        )
        return Database(self._connection.cursor(), None)

    def end(self) -> None:
        self._execute("reset memory_limit", "detach store")

    def _execute(self, *statements: str) -> None:
        for statement in statements:
            self._connection.execute(statement)


@contextmanager
def memory_store() -> Iterator[Database]:
    """What `Database.open()` gives, closed at the end; several may be open at a time."""
    engine = _IDLE.pop() if _IDLE else _Engine()
    with engine.begin() as database:
        yield database
    engine.end()
    _IDLE.append(engine)
