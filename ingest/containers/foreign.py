"""A file of a foreign container to records: its pieces read, strangers among them refused."""

from collections.abc import Iterator
from pathlib import PurePath

from ingest.containers.drafting import items_of
from ingest.containers.drafts import Desk, Draft, Piece, Pieces, Refused
from ingest.containers.formats import Known, sign_of
from ingest.containers.json_lines import KIND_WORDS, kind_of
from ingest.containers.json_values import Values
from ingest.decoded import Item, Origin
from ingest.errors import Reason, RecordError


def read_foreign(known: Known, origin: Origin) -> Iterator[Item]:
    """The records of one file.

    Args:
        known: What it is, with its pieces.
        origin: Stamp of the records.
    """
    return items_of(_drafts(known, _desk(origin.path)), known.format.container, origin)


def _desk(path: str) -> Desk:
    name = PurePath(path).name
    for _ in range(2):
        stem, dot, suffix = name.rpartition(".")
        if dot and stem and len(suffix) <= 6:
            name = stem
    return Desk(name)


def _drafts(known: Known, desk: Desk) -> Iterator[Draft]:
    values = known.values
    pieces: Pieces = _own(known) if values.is_lines else values.pieces
    for draft in known.format.read(pieces, desk):
        if values.refused:
            yield from _told(values)
        yield draft
    yield from _told(values)


def _told(values: Values) -> Iterator[Refused]:
    while values.refused:
        yield values.refused.pop(0)


def _own(known: Known) -> Iterator[Piece]:
    """The lines that no other container claims."""
    for piece in known.values.pieces:
        stranger = None if known.format.sign(piece.value) else _stranger(piece, known)
        if stranger is None:
            yield piece
        else:
            known.values.refused.append(stranger)


def _stranger(piece: Piece, known: Known) -> Refused | None:
    kind = kind_of(piece.value)
    found = sign_of(piece.value)
    if found is not None and found[0].container is not known.format.container:
        words = f"{found[0].words} ({found[1]})"
    elif kind is not None:
        words = KIND_WORDS[kind]
    else:
        return None
    error = RecordError(
        Reason.OTHER_KIND,
        f"looks like {words} in a file of {known.format.words}: expected one kind a file; "
        "put the line in a file of its own kind",
    )
    return Refused(piece.place, error, piece.value)
