"""Rows on their way, beside memory: read from one moment of the store, sent when it is closed again."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Final, NamedTuple

__all__ = ["Spool"]

IN_MEMORY: Final = 16 << 20
"""Bytes that are held in memory; more go to a file that goes with the process."""
CHUNK: Final = 4 << 20
"""Bytes of one insert, about."""


class _Chunk(NamedTuple):
    table: str
    n_bytes: int


class Spool:
    """Lines for tables, in order.

    Args:
        folder: Where a file goes; None for the system's folder for such.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = SpooledTemporaryFile(  # noqa: SIM115 - it is closed with the spool
            max_size=IN_MEMORY, dir=None if folder is None else str(folder)
        )
        self._chunks: list[_Chunk] = []
        self.n_rows = 0

    def add(self, table: str, lines: Iterable[str]) -> None:
        """Put rows of one table behind what is there, each a line of JSON."""
        parts: list[bytes] = []
        n_bytes = 0
        for line in lines:
            parts.append(line.encode())
            n_bytes += len(parts[-1]) + 1
            if n_bytes >= CHUNK:
                self._put(table, parts)
                parts, n_bytes = [], 0
        if parts:
            self._put(table, parts)

    def chunks(self) -> Iterator[tuple[str, bytes]]:
        """Table and lines of one insert after the other; may be asked for again."""
        self._file.seek(0)
        for chunk in self._chunks:
            yield chunk.table, self._file.read(chunk.n_bytes)

    def _put(self, table: str, parts: list[bytes]) -> None:
        body = b"\n".join(parts) + b"\n"
        self._file.write(body)
        self._chunks.append(_Chunk(table, len(body)))
        self.n_rows += len(parts)

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
