"""A stream of JSON as values with places: lines one by one, or one document whole.

Which of the two a file is follows from its bytes: lines when the first line is a value of its own
and more follows, or when the whole is no value but its lines are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from ingest.containers.drafts import Piece, Refused
from ingest.containers.json_text import loads_plain
from ingest.containers.salvage import closed_after_last_value
from ingest.errors import Reason, RecordError
from ingest.source import MAX_DOCUMENT_BYTES, MAX_RECORD_BYTES, Source

DOCUMENT: Final = "document"
_PROBED_LINES: Final = 50


@dataclass(slots=True)
class Values:
    """The values of one file."""

    pieces: Iterator[Piece]
    """Lines, or one document."""
    is_lines: bool
    refused: list[Refused] = field(default_factory=list)
    """Lines that were no JSON, since this list was last emptied."""

    def peeked(self, n_pieces: int) -> list[Piece]:
        """The first pieces, without taking them."""
        found = list(islice(self.pieces, n_pieces))
        self.pieces = chain(found, self.pieces)
        return found


def open_values(
    source: Source,
    *,
    max_line_bytes: int = MAX_RECORD_BYTES,
    max_document_bytes: int = MAX_DOCUMENT_BYTES,
) -> Values:
    """The values of a source; what is no JSON becomes a refusal, never an exception.

    Args:
        source: The file; its first line is read, and all of it where that is no value.
        max_line_bytes: Lines beyond are refused.
        max_document_bytes: A document beyond is refused.
    """
    number, first = _first_line(source, max_document_bytes)
    try:
        value = loads_plain(first)
    except RecordError:
        return _whole(source, first, number, max_line_bytes, max_document_bytes)
    if not source.peek():
        return Values(iter([Piece(value, DOCUMENT)]), is_lines=False)
    values = Values(iter(()), is_lines=True)
    rest = _read_lines(source, number, max_line_bytes, values.refused)
    values.pieces = chain([Piece(value, f"line {number}")], rest)
    return values


def _first_line(source: Source, max_bytes: int) -> tuple[int, bytes]:
    """Number and text of the first line that is not blank; empty at the end."""
    number = 0
    while line := source.read_line(max_bytes):
        number += 1
        if line.strip():
            return number, line
    return number, b""


def _whole(
    source: Source, first: bytes, number: int, max_line_bytes: int, max_bytes: int
) -> Values:
    data = first + source.read(max_bytes + 1 - len(first))
    if len(data) > max_bytes:
        return _refused_whole(data, _too_long(len(data), max_bytes))
    try:
        return Values(iter([Piece(loads_plain(data), DOCUMENT)]), is_lines=False)
    except RecordError as error:
        lines = _lines_of(data, number - 1)
        if _has_value(lines):
            values = Values(iter(()), is_lines=True)
            values.pieces = _values_of(lines, max_line_bytes, values.refused)
            return values
        return _salvaged(data, error)


def _salvaged(data: bytes, error: RecordError) -> Values:
    """What is complete of a document that was cut off, and the refusal of the rest."""
    complete = closed_after_last_value(data) if error.reason is Reason.TRUNCATED else None
    if complete is None:
        return _refused_whole(data, error)
    try:
        piece = Piece(loads_plain(complete), DOCUMENT)
    except RecordError:
        return _refused_whole(data, error)
    refused = Refused(f"byte {len(data)}", error, data)
    return Values(iter([piece]), is_lines=False, refused=[refused])


def _refused_whole(data: bytes, error: RecordError) -> Values:
    return Values(iter(()), is_lines=False, refused=[Refused(DOCUMENT, error, data)])


def _lines_of(data: bytes, n_before: int) -> list[tuple[int, bytes]]:
    return list(enumerate(data.split(b"\n"), n_before + 1))


def _has_value(lines: list[tuple[int, bytes]]) -> bool:
    """Whether some early line is an object or list of its own, whole, and not the only line."""
    for _, line in lines[:_PROBED_LINES] if len(lines) > 1 else ():
        if line[:1] in (b"{", b"[") and line.rstrip()[-1:] in (b"}", b"]"):
            try:
                loads_plain(line)
            except RecordError:
                continue
            return True
    return False


def _read_lines(
    source: Source, number: int, max_bytes: int, refused: list[Refused]
) -> Iterator[Piece]:
    while line := source.read_line(max_bytes):
        number += 1
        n_skipped = 0 if line.endswith(b"\n") else source.skip_line()
        if n_skipped:
            error = _too_long(len(line) + n_skipped, max_bytes)
            refused.append(Refused(f"line {number}", error, line))
        else:
            yield from _values_of([(number, line)], max_bytes, refused)


def _values_of(
    lines: Iterable[tuple[int, bytes]], max_bytes: int, refused: list[Refused]
) -> Iterator[Piece]:
    for number, line in lines:
        stripped = line.strip()
        if not stripped:
            continue
        place = f"line {number}"
        try:
            if len(stripped) > max_bytes:
                raise _too_long(len(stripped), max_bytes)
            yield Piece(loads_plain(stripped), place)
        except RecordError as error:
            refused.append(Refused(place, error, line))


def _too_long(n_bytes: int, limit: int) -> RecordError:
    return RecordError(
        Reason.TOO_LARGE,
        f"{n_bytes} bytes or more in one piece: expected at most {limit}; "
        "write one record a line (JSON Lines), smaller ones",
    )
