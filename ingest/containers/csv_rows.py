"""A table with a header line as values with places: a row is an object, its cells under their names.

Platforms offer their rows as CSV beside JSON. A cell that is a JSON object or list is that value, an
empty one is null, any other is text; which format the rows are is told like that of JSON lines.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ingest.containers.drafts import Piece, Refused
from ingest.containers.fields import decoded
from ingest.containers.json_values import Values
from ingest.errors import Reason, RecordError
from ingest.source import MAX_RECORD_BYTES, Source
from ingest.text import listed

_NAME: Final = re.compile(r"[A-Za-z_][\w.$ -]{0,63}")
_MIN_COLUMNS: Final = 3
_MAX_COLUMNS: Final = 1_000
_DELIMITERS: Final = (",", "\t", ";")

csv.field_size_limit(MAX_RECORD_BYTES)


def open_table(source: Source) -> Values | None:
    """The rows of a source whose first line names columns; None, and nothing taken, for another."""
    head = source.peek().split(b"\n", 1)
    header = _header(head[0]) if len(head) > 1 else None
    if header is None:
        return None
    source.read_line()
    values = Values(iter(()), is_lines=True)
    values.pieces = _rows(source, header, values.refused)
    return values


class _Header(NamedTuple):
    names: Sequence[str]
    delimiter: str


def _header(line: bytes) -> _Header | None:
    try:
        text = line.decode("utf-8").strip("\r")
    except UnicodeDecodeError:
        return None
    for delimiter in _DELIMITERS:
        names = next(csv.reader([text], delimiter=delimiter), [])
        if (
            _MIN_COLUMNS <= len(names) <= _MAX_COLUMNS
            and len(set(names)) == len(names)
            and all(map(_NAME.fullmatch, names))
        ):
            return _Header(names, delimiter)
    return None


def _rows(source: Source, header: _Header, refused: list[Refused]) -> Iterator[Piece]:
    lines = _Lines(source)
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    while True:
        lines.begin()
        place = f"line {lines.number + 1}"
        try:
            cells = next(reader, None)
            if cells is None:
                return
            if cells:
                yield Piece(_named(cells, header), place)
        except (csv.Error, RecordError) as error:
            problem = error if isinstance(error, RecordError) else _unreadable(error)
            refused.append(Refused(place, problem, bytes(lines.raw)))


def _named(cells: Sequence[str], header: _Header) -> dict[str, Any]:
    if len(cells) != len(header.names):
        raise RecordError(
            Reason.SHAPE,
            f"{len(cells)} cells: expected {len(header.names)} ({listed(header.names)}); quote "
            f"cells that hold {header.delimiter!r} or a line break",
        )
    named = zip(header.names, cells, strict=True)
    return {name: decoded(cell) if cell else None for name, cell in named}


def _unreadable(error: csv.Error) -> RecordError:
    return RecordError(
        Reason.SHAPE,
        f"no row of a table ({error}): expected quotes around cells with a line break, doubled "
        "inside; export it again",
    )


class _Lines:
    """The lines of a source as text, with the bytes and the number of those of the current row."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.number = 1
        """Of the last line that was taken; the header is the first."""
        self.raw = bytearray()

    def begin(self) -> None:
        """Forget the bytes of the row before."""
        self.raw.clear()

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._source.read_line(MAX_RECORD_BYTES)
        if not line:
            raise StopIteration
        self.number += 1
        self.raw += line
        # What is no UTF-8 is escaped when it is kept, and counted as repaired.
        return line.decode("utf-8", "surrogateescape")
