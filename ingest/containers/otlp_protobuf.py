"""OTLP protobuf: the bytes of one export request to records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ingest.containers.groups import Group, group
from ingest.containers.otlp_classes import LOG_RECORD, LOGS_REQUEST, SPAN, TRACE_REQUEST
from ingest.containers.protobuf_records import logs_from_protobuf, spans_from_protobuf
from ingest.containers.wire import WireError, mended
from ingest.containers.wire_records import Damage, Piece, pieces
from ingest.decoded import Decoded, Ignored, Item, Origin
from ingest.errors import Reason, RecordError
from ingest.kinds import Signal
from ingest.values import attributes_from_protobuf


class _Reader(NamedTuple):
    request: type[Message]
    resources: str
    scopes: str
    records: str
    word: str
    record: type[Message]
    strict: type[Message]
    """The generated class, which knows every string in the record."""
    read: Callable[..., list[Decoded]]
    """Reads records of one scope, all of them or none."""
    together: int
    """How many of them at a time: few enough to stay in the processor's caches."""


_READERS: Final[Mapping[Signal, _Reader]] = {
    Signal.TRACES: _Reader(
        TRACE_REQUEST, "resource_spans", "scope_spans", "spans", "span", SPAN, Span,
        spans_from_protobuf, 512,
    ),
    Signal.LOGS: _Reader(
        LOGS_REQUEST, "resource_logs", "scope_logs", "log_records", "log", LOG_RECORD, LogRecord,
        logs_from_protobuf, 1,
    ),
}  # fmt: skip


_REFUSALS: Final = (DecodeError, UnicodeDecodeError)
"""What a value raises whose bytes the library does not take."""


class Place(NamedTuple):
    """Where a request stands in its file."""

    name: str = ""
    """Such as `message 3`; empty when the request is the file."""
    first_resource: int = 0
    first_byte: int = 0

    def at(self, part: str) -> str:
        """The place of a part of the request."""
        return f"{self.name}, {part}" if self.name else part

    def record(self, resource: int, scope: int, word: str, index: int) -> str:
        """The place of a record by its indexes within the request."""
        return self.at(f"resource {self.first_resource + resource}, scope {scope}, {word} {index}")


_WHOLE: Final = Place()


def decode_protobuf(
    data: bytes, signal: Signal, origin: Origin, place: Place = _WHOLE
) -> Iterator[Item]:
    """The records of one request.

    A request that the protobuf library refuses is walked field by field: strings that are not UTF-8
    are escaped, and what is whole before a cut or beside a damaged record is kept.

    Args:
        data: The request.
        signal: What it carries; metrics are counted and left out.
        origin: Stamp of the records.
        place: Where the request stands in its file.
    """
    if signal is Signal.METRICS:
        yield Ignored("metrics", sum(isinstance(piece, Piece) for piece in pieces(data)))
        return
    reader = _READERS[signal]
    try:
        request: Any = reader.request.FromString(data)
    except DecodeError:
        yield from _decode_pieces(data, reader, origin, place)
        return
    for resource_index, resource in enumerate(getattr(request, reader.resources)):
        attributes = attributes_from_protobuf(resource.resource.attributes)
        for scope_index, scope in enumerate(getattr(resource, reader.scopes)):
            shared = _group(attributes, scope.scope)
            at = partial(place.record, resource_index, scope_index, reader.word)
            yield from _decode_scope(getattr(scope, reader.records), reader, shared, origin, at)


def _decode_scope(
    records: Sequence[Message],
    reader: _Reader,
    shared: Group,
    origin: Origin,
    at: Callable[[int], str],
) -> Iterator[Item]:
    """The records of one scope; each on its own where one of them is not good."""
    for first in range(0, len(records), reader.together):
        together = records[first : first + reader.together]
        try:
            items: list[Item] = [*reader.read(together, shared, origin)]
        except (RecordError, *_REFUSALS):
            items = [
                _read_piece(record.SerializeToString(), reader, shared, origin, at(index))
                for index, record in enumerate(together, first)
            ]
        yield from items


def _decode_pieces(data: bytes, reader: _Reader, origin: Origin, place: Place) -> Iterator[Item]:
    heads = _Heads()
    for piece in pieces(data):
        if isinstance(piece, Damage):
            yield origin.reject(
                place.at(f"byte {place.first_byte + piece.at}"), _damage_error(piece), piece.raw
            )
            continue
        where = place.record(
            piece.resource_index, piece.scope_index, reader.word, piece.record_index
        )
        yield _read_piece(piece.record, reader, heads.group(piece), origin, where)


def _read_piece(data: bytes, reader: _Reader, shared: Group, origin: Origin, where: str) -> Item:
    """One record that may have to be mended."""
    try:
        try:
            [item] = reader.read([reader.record.FromString(data)], shared, origin)
        except _REFUSALS:
            record = reader.record.FromString(_mended(reader.strict, data))
            [item] = reader.read([record], shared, origin, is_repaired=True)
    except RecordError as error:
        return origin.reject(where, error, data)
    return item


class _Heads:
    """Resource and scope of the piece in hand; parsed once a scope, not once a record."""

    def __init__(self) -> None:
        self._key: tuple[int, int] | None = None
        self._group: Group | None = None

    def group(self, piece: Piece) -> Group:
        key = (piece.resource_index, piece.scope_index)
        if self._group is None or key != self._key:
            self._key, self._group = key, _mended_group(piece)
        return self._group


def _mended_group(piece: Piece) -> Group:
    resource, is_resource_repaired = _head(Resource, piece.resource)
    scope, is_scope_repaired = _head(InstrumentationScope, piece.scope)
    attributes = attributes_from_protobuf(resource.attributes)
    return _group(attributes, scope, is_repaired=is_resource_repaired or is_scope_repaired)


def _head(message: type[Message], data: bytes) -> tuple[Any, bool]:
    """Resource or scope; empty, as a repair, when it cannot be read: the records are good."""
    try:
        return _parsed(message, data)
    except RecordError:
        return message(), True


def _group(
    attributes: dict[str, Any], scope: InstrumentationScope, *, is_repaired: bool = False
) -> Group:
    return group(
        attributes,
        scope.name,
        scope.version,
        attributes_from_protobuf(scope.attributes),
        is_repaired=is_repaired,
    )


def _parsed(message: type[Message], data: bytes) -> tuple[Any, bool]:
    """The message, and whether its strings had to be mended for it."""
    try:
        return message.FromString(data), False
    except DecodeError:
        return message.FromString(_mended(message, data)), True


def _mended(message: type[Message], data: bytes) -> bytes:
    """The bytes of the message with its strings mended, so that it can be read."""
    try:
        whole = mended(data, message.DESCRIPTOR)
        message.FromString(whole)
    except (DecodeError, WireError) as error:
        raise RecordError(
            Reason.PROTOBUF,
            "the record is damaged, or nests deeper than 100 levels: expected an OTLP protobuf "
            "record; export it again",
        ) from error
    return whole


def _damage_error(damage: Damage) -> RecordError:
    if damage.is_cut:
        return RecordError(
            Reason.TRUNCATED,
            "the protobuf message ends in the middle of a record: expected more bytes; "
            "export it again, or copy the file once its writer has finished",
        )
    return RecordError(
        Reason.PROTOBUF,
        "what follows is no protobuf field: expected an OTLP request; export it again",
    )
