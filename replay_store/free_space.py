"""Whether the disk under the store can take another commit, asked before it is tried.

DuckDB survives a commit that finds the disk full, but a checkpoint that does makes the open store
useless until it is opened again; stopping earlier keeps the room that a checkpoint needs.
"""

import shutil
from pathlib import Path
from typing import Final

from replay_store.database import Database

__all__ = ["has_room", "is_full"]

RESERVE_BYTES: Final = 64 * 1024**2
"""Kept free on disks that have it to spare."""
RESERVE_SHARE: Final = 1 / 20
"""On smaller disks, this part of them is kept free instead."""


def has_room(database: Database) -> bool:
    """Whether more is free than what is kept for a checkpoint; true for a store in memory."""
    if database.path is None:
        return True
    usage = shutil.disk_usage(database.path.parent)
    reserve = min(RESERVE_BYTES, usage.total * RESERVE_SHARE)
    return usage.free > reserve + _log_bytes(database.path)


def _log_bytes(path: Path) -> int:
    """The size of the log, which the next checkpoint may need again in the file."""
    try:
        return path.with_name(f"{path.name}.wal").stat().st_size
    except FileNotFoundError:
        return 0


def is_full(error: Exception) -> bool:
    """Whether work failed because the disk is full."""
    text = str(error)
    return "No space left" in text or "disk full" in text.lower() or "Disk quota" in text
