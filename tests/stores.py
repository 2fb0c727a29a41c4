"""Empty stores, each a copy of one that was migrated once: a tenth of the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from replay_store import Database
from replay_store.attach import attached

ONE_THREAD: Final = "set threads = 1"
"""Sharing out a handful of rows costs a quarter of deriving them, and workers fill the cores."""
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
        self._execute("use template", "detach store", ONE_THREAD)

    def begin(self, held: Path | None) -> Database:
        """A store of its own, as `Database.open()` gives it, or with what a file holds."""
        filled = [f"insert into store.{name} from template.{name}" for name in self._filled]
        made = ["copy from database template to store (schema)", *filled]
        if held is not None:
            made = [attached(str(held), "held"), "copy from database held to store", "detach held"]
        self._execute(attached(":memory:", "store"), *made)
        return Database(self._connection.cursor(), None)

    def end(self) -> None:
        self._execute("reset memory_limit", "detach store")

    def _execute(self, *statements: str) -> None:
        for statement in statements:
            self._connection.execute(statement)


@contextmanager
def memory_store(held: Path | None = None) -> Iterator[Database]:
    """What `Database.open()` gives, closed at the end; several may be open at a time.

    Args:
        held: A store whose rows it begins with; deriving a few spans takes longer than copying them.
    """
    engine = _IDLE.pop() if _IDLE else _Engine()
    with engine.begin(held) as database:
        yield database
    engine.end()
    _IDLE.append(engine)


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.duckdb"
        _OPEN(path).close()
        return path.read_bytes()


def lay_store(path: Path) -> None:
    """Put a store without traces where there is none yet, as `Database.open(path)` leaves it."""
    if path.parent.is_dir() and not path.exists():
        path.write_bytes(_migrated())


_OPEN: Final = Database.open


def open_laid(path: Path | None = None, *, memory_limit: str | None = None) -> Database:
    """As `Database.open`, which finds a store where it would have made one, and works on one thread."""
    if path is not None:
        lay_store(path)
    database = _OPEN(path, memory_limit=memory_limit)
    database._connection.execute(ONE_THREAD)
    return database
