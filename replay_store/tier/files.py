"""The files of moved days: their names, how a file gets there whole, what a crash left behind."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from replay_store.errors import StoreWriteError

__all__ = ["DAY_NS", "abandoned", "day_text", "placed", "quoted", "removed", "writable"]

DAY_NS: Final = 86_400_000_000_000


def day_text(day: int) -> str:
    """A day since the epoch as ISO writes it."""
    return datetime.fromtimestamp(day * DAY_NS / 1e9, UTC).date().isoformat()


def placed(folder: Path, table: str, day: int, store_id: str, part_id: int) -> Path:
    """Where the rows of one table and part lie: a folder a table, a folder a day (Hive's spelling)."""
    return folder / table / f"day={day_text(day)}" / f"{store_id}-{part_id:06d}.parquet"


def quoted(paths: Iterable[str | Path]) -> str:
    """A list of paths as SQL writes it; quotes in a path are safe."""
    texts = (str(path).replace("'", "''") for path in paths)
    return "[" + ", ".join(f"'{text}'" for text in texts) + "]"


@contextmanager
def writable(path: Path) -> Iterator[Path]:
    """A name to write to; the file is at `path`, and on the disk, only once it is whole."""
    partial = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield partial
        _to_disk(partial)
        partial.replace(path)
        _to_disk(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def abandoned(folder: Path, store_id: str, known: Iterable[str]) -> list[Path]:
    """Files of this store that its ledger does not know: a move was cut off before it was committed."""
    wanted = set(known)
    found = folder.glob(f"*/day=*/{store_id}-*.parquet*")
    return [path for path in found if str(path) not in wanted]


def removed(paths: Iterable[str | Path]) -> None:
    """Remove files, and the folders that are empty then; one that is gone already is fine."""
    for path in map(Path, paths):
        path.unlink(missing_ok=True)
        for folder in (path.parent, path.parent.parent):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        raise StoreWriteError(
            f"{path}: not written ({error.strerror}); nothing was moved"
        ) from error
    finally:
        os.close(handle)
