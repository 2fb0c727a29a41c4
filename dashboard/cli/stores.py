"""Opening the store for one command."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dashboard.settings import Settings, read_settings

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["is_served", "open_store", "served_store"]

_served: "Final[ContextVar[tuple[Database, Settings] | None]]" = ContextVar("served", default=None)
"""The store of the server that runs this command; None in a process of its own."""


@contextmanager
def open_store(
    db: Path | None, *, engine: str | None = None, is_caught_up: bool = True
) -> "Iterator[tuple[Database, Settings]]":
    """The store of `--db`, caught up, with the settings it was opened by; closed at the end.

    A command that runs inside the server gets the server's store, which stays open.

    Args:
        db: The file; that of the settings when None.
        engine: The cluster to read in its place; that of the settings when None.
        is_caught_up: Whether traces that a crash left behind are derived first.

    Raises:
        StoreBusyError: Another process owns the file.
        StoreUnreadableError: The file is not a store.
        EngineError: The cluster does not answer, or holds nothing that was shipped.
    """
    from dashboard.engine import open_database
    from replay_store.derive import catch_up

    if (served := _served.get()) is not None:
        yield served
        return
    settings = read_settings(db=db, engine=engine)
    with open_database(settings) as database:
        if is_caught_up and not database.is_engine:
            catch_up(database, now_ns=time.time_ns())
        yield database, settings


def is_served() -> bool:
    """Whether this command runs inside the server that owns the store."""
    return _served.get() is not None


@contextmanager
def served_store(database: "Database", settings: Settings) -> Iterator[None]:
    """Commands of this thread use this store."""
    token = _served.set((database, settings))
    try:
        yield
    finally:
        _served.reset(token)
