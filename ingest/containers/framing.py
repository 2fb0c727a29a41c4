"""A stream of protobuf to requests: bare, or with a 4-byte length before each.

A bare request is a run of resource groups, and each of them is a request of its own, so neither
form is ever held whole.
"""

from collections.abc import Iterator
from typing import Final

from ingest.containers.otlp_protobuf import Place, decode_protobuf
from ingest.containers.wire_records import signal_of
from ingest.decoded import Item, Origin
from ingest.errors import Reason, RecordError
from ingest.kinds import Signal
from ingest.source import MAX_RECORD_BYTES, Source

PREFIX_BYTES: Final = 4
GROUP_TAG: Final = b"\x0a"
"""Field 1, with a length: how a bare request begins."""
_LONGEST_LENGTH: Final = 5


def read_prefixed(
    source: Source, origin: Origin, *, max_bytes: int = MAX_RECORD_BYTES
) -> Iterator[Item]:
    """The records of requests with big-endian lengths before them."""
    at, number = 0, 0
    while prefix := source.read(PREFIX_BYTES):
        length = int.from_bytes(prefix, "big")
        name = f"message {number}"
        if len(prefix) < PREFIX_BYTES:
            yield origin.reject(name, _cut_error(), prefix)
            return
        if length > max_bytes:
            source.skip(length)
            yield origin.reject(name, _too_large(length, max_bytes))
        else:
            data = source.read(length)
            place = Place(name, first_byte=at + PREFIX_BYTES)
            yield from _decode_cut(data, length, origin, place)
        at += PREFIX_BYTES + length
        number += 1


def read_bare(
    source: Source, origin: Origin, *, max_bytes: int = MAX_RECORD_BYTES
) -> Iterator[Item]:
    """The records of one bare request."""
    at, index = 0, 0
    while tag := source.read(1):
        written, length = _read_length(source)
        if tag != GROUP_TAG or length is None:
            yield origin.reject(f"byte {at}", _field_error(is_cut=tag == GROUP_TAG), tag + written)
            return
        if length > max_bytes:
            source.skip(length)
            yield origin.reject(f"resource {index}", _too_large(length, max_bytes))
        else:
            data = tag + written + source.read(length)
            place = Place(first_resource=index, first_byte=at)
            yield from decode_protobuf(data, signal_of(data) or Signal.TRACES, origin, place)
        at += len(tag) + len(written) + length
        index += 1


def _decode_cut(data: bytes, length: int, origin: Origin, place: Place) -> Iterator[Item]:
    """A prefixed request, whose end may be missing; a cut between its groups is still one."""
    is_cut_unseen = len(data) < length
    for item in decode_protobuf(data, signal_of(data) or Signal.TRACES, origin, place):
        is_cut_unseen &= getattr(item, "reason", None) != Reason.TRUNCATED
        yield item
    if is_cut_unseen:
        yield origin.reject(place.at(f"byte {place.first_byte + len(data)}"), _cut_error())


def _read_length(source: Source) -> tuple[bytes, int | None]:
    written = b""
    while len(written) < _LONGEST_LENGTH and (byte := source.read(1)):
        written += byte
        if byte[0] < 0x80:
            return written, sum((part & 0x7F) << (7 * at) for at, part in enumerate(written))
    return written, None


def _field_error(*, is_cut: bool) -> RecordError:
    if is_cut:
        return _cut_error()
    return RecordError(
        Reason.PROTOBUF,
        "what follows is no protobuf resource group: expected an OTLP request; export it again",
    )


def _cut_error() -> RecordError:
    return RecordError(
        Reason.TRUNCATED,
        "the protobuf data ends in the middle of a message: expected more bytes; "
        "export it again, or copy the file once its writer has finished",
    )


def _too_large(length: int, max_bytes: int) -> RecordError:
    return RecordError(
        Reason.TOO_LARGE,
        f"{length} bytes in one message: expected at most {max_bytes}; export in smaller batches",
    )
