"""Opening the store for one command."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.settings import Settings, read_settings

if TYPE_CHECKING:
    from replay_store.database import Database

__all__ = ["open_store"]


@contextmanager
def open_store(db: Path | None) -> "Iterator[tuple[Database, Settings]]":
    """The store of `--db`, caught up, with the settings it was opened by; closed at the end.

    Raises:
        StoreBusyError: Another process owns the file.
        StoreUnreadableError: The file is not a store.
    """
    from replay_store.database import Database
    from replay_store.derive import catch_up

    settings = read_settings(db=db)
    with Database.open(settings.db, memory_limit=settings.memory_limit) as database:
        catch_up(database, now_ns=time.time_ns())
        yield database, settings
