"""How the store's file is opened: attached, with small row groups; who holds it is said."""

import re
import tempfile
from pathlib import Path
from typing import Final

import duckdb

from replay_store.errors import StoreBusyError, StoreUnreadableError

__all__ = ["attach", "attached", "spill_folder"]

_ROW_GROUP_SIZE: Final = 10240
"""A twelfth of the default. A checkpoint compresses the last, unfinished group again; with spans of
some kilobytes that is most of what a commit costs in the long run, so groups are small and
checkpoints few (measured on 4.5 kB spans: half the processor time of 30720 rows at 64 MB)."""


def spill_folder(path: Path | None) -> str:
    """Where DuckDB puts what exceeds its memory; its own default is the working folder."""
    if path is None:
        return str(Path(tempfile.gettempdir()) / "toolsight.tmp")
    return f"{path}.tmp"


def attach(connection: duckdb.DuckDBPyConnection, path: Path | None) -> None:
    """Open the file as `store`, made as needed; in memory without a path.

    Raises:
        StoreBusyError: Another process owns the file; names it.
        StoreUnreadableError: The file is not a store; names it.
    """
    if path is not None:
        _make_folder(path)
    target = str(path) if path is not None else ":memory:"
    try:
        connection.execute(attached(target, "store"))
    except duckdb.IOException as error:
        raise _open_error(target, error) from error
    connection.execute("use store")


def attached(target: str, name: str) -> str:
    """The statement that attaches a file under a name; a quote in a path is safe."""
    quoted = target.replace("'", "''")
    return f"attach '{quoted}' as {name} (row_group_size {_ROW_GROUP_SIZE})"


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnreadableError(
            f"{path}: its folder cannot be made ({error.strerror}): give another file with --db"
        ) from error


def _open_error(path: str, error: duckdb.IOException) -> StoreBusyError | StoreUnreadableError:
    text = str(error)
    if "lock" in text:
        holder = re.search(r"held in (?P<program>.*?) \(PID (?P<pid>\d+)\)", text)
        who = f"process {holder['pid']} ({holder['program']})" if holder else "another process"
        return StoreBusyError(
            f"{path}: the store is in use by {who}: one process owns it at a time; "
            "stop that process, or give another file with --db"
        )
    return StoreUnreadableError(
        f"{path}: not a Toolsight store, or written by a newer version: "
        "give another file with --db, or upgrade"
    )
