"""Who serves a store: a file beside it that names the server's address and the token for it.

The file is readable by its user only. DuckDB's own lock keeps a second process out; this file says
where the first one can be asked.
"""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from dashboard.errors import OwnerUnreachableError

__all__ = ["Owner", "new_owner", "read_owner", "recorded"]

_SUFFIX = ".server.json"


@dataclass(frozen=True, slots=True)
class Owner:
    """A running server, as its file tells."""

    pid: int
    url: str
    """Of the pages; commands are sent there."""
    token: str
    otlp_port: int | None = None
    grpc_port: int | None = None


def new_owner(url: str, *, otlp_port: int | None = None, grpc_port: int | None = None) -> Owner:
    """This process, with a fresh token."""
    return Owner(os.getpid(), url, secrets.token_urlsafe(32), otlp_port, grpc_port)


def owner_path(db: Path) -> Path:
    """Where the file of a store is."""
    return db.with_name(db.name + _SUFFIX)


@contextmanager
def recorded(owner: Owner, db: Path) -> Iterator[None]:
    """Keep the file of `owner` while the store is served; a file that a crash left is replaced."""
    path = owner_path(db)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(asdict(owner), stream)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def read_owner(db: Path) -> Owner | None:
    """The server of a store; None when no file names one.

    Raises:
        OwnerUnreachableError: The file is there but cannot be read; says whose it is.
    """
    path = owner_path(db)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OwnerUnreachableError(
            f"{path}: cannot be read ({error.strerror}): the store is served by another user: "
            "run the command as that user, or ask on the server's pages"
        ) from error
    try:
        return Owner(**json.loads(text))
    except (ValueError, TypeError):
        return None
