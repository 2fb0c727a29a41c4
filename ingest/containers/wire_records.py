"""The records of an OTLP request that the protobuf library refuses, and where it is damaged.

Requests of traces, logs and metrics are built alike: resource groups (field 1) of a resource (1)
and scope groups (2), each of a scope (1) and records (2).
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from ingest.containers.wire import FIXED64, LENGTH, VARINT, Field, WireError, scan
from ingest.kinds import Signal

_GROUP: Final = 1
_HEAD: Final = 1
_ITEMS: Final = 2

_SPAN_SIGNS: Final = frozenset({(7, FIXED64), (8, FIXED64), (6, VARINT)})
_LOG_SIGNS: Final = frozenset({(1, FIXED64), (11, FIXED64), (2, VARINT)})
_METRIC_SIGNS: Final = frozenset(
    {(5, LENGTH), (7, LENGTH), (9, LENGTH), (10, LENGTH), (11, LENGTH)}
)
_ID_LENGTHS: Final = (8, 16, 32)
_MESSAGE_FIELDS: Final = frozenset({1, 2, 3, 1000})
"""What resource and scope groups hold; 1000 is the older name of field 2."""


_REQUEST: Final = Field(0, LENGTH, 0, 0, sys.maxsize)
"""A request itself: nothing says where it ends."""


class Piece(NamedTuple):
    """One whole record, with the bytes of the resource and scope it stands under."""

    resource_index: int
    scope_index: int
    record_index: int
    resource: bytes
    scope: bytes
    record: bytes


class Damage(NamedTuple):
    """A place that could not be read."""

    at: int
    is_cut: bool
    raw: bytes


def pieces(data: bytes) -> Iterator[Piece | Damage]:
    """Every whole record of a request in order, then at most one cut."""
    walk = _Walk(data)
    yield from walk.resources()
    if walk.cut_at is not None:
        yield Damage(walk.cut_at, True, data[walk.cut_at :])


def signal_of(data: bytes) -> Signal | None:
    """What a request carries, from the wire types of its first record; `data` may be cut.

    Returns:
        TRACES for a request without records; None for bytes that are no such request.
    """
    top = scan(data, 0, sys.maxsize).fields
    if not top or any((field.number, field.wire_type) != (_GROUP, LENGTH) for field in top[:-1]):
        return None
    record = _first_record(data, top)
    if record is None:
        return Signal.TRACES if _is_group(data, top[0]) else None
    return _signal_of_record(data, record)


def _signal_of_record(data: bytes, record: Field) -> Signal:
    fields = scan(data, record.start, record.end).fields
    signs = {(field.number, field.wire_type) for field in fields}
    if signs & _SPAN_SIGNS:
        return Signal.TRACES
    if signs & _LOG_SIGNS:
        return Signal.LOGS
    has_id = any(field.number == 1 and field.end - field.start in _ID_LENGTHS for field in fields)
    return Signal.METRICS if signs & _METRIC_SIGNS and not has_id else Signal.TRACES


def _first_record(data: bytes, top: list[Field]) -> Field | None:
    for group in top:
        for scope in _numbered(data, group, _ITEMS):
            for record in _numbered(data, scope, _ITEMS):
                return record
    return None


def _numbered(data: bytes, field: Field, number: int) -> list[Field]:
    if not _is_group(data, field):
        return []
    return [part for part in scan(data, field.start, field.end).fields if part.number == number]


def _is_group(data: bytes, field: Field) -> bool:
    """Whether a field reads as a resource or scope group."""
    if field.wire_type != LENGTH:
        return False
    message = scan(data, field.start, field.end)
    if message.error is not None and not message.error.is_cut:
        return False
    return all(
        part.wire_type == LENGTH and part.number in _MESSAGE_FIELDS for part in message.fields
    )


@dataclass(slots=True)
class _Walk:
    """One pass over a request; `cut_at` is where its bytes end too early."""

    data: bytes
    cut_at: int | None = None

    def resources(self) -> Iterator[Piece | Damage]:
        for index, group in enumerate(self._children(_REQUEST, _GROUP)):
            if isinstance(group, Damage):
                yield group
                continue
            resource = self._head(group)
            yield from self._scopes(group, index, resource)

    def _scopes(
        self, group: Field, resource_index: int, resource: bytes
    ) -> Iterator[Piece | Damage]:
        for index, scope in enumerate(self._children(group, _ITEMS)):
            if isinstance(scope, Damage):
                yield scope
                continue
            head = self._head(scope)
            for record_index, record in enumerate(self._children(scope, _ITEMS)):
                if isinstance(record, Damage):
                    yield record
                elif record.end <= len(self.data):
                    content = self.data[record.start : record.end]
                    yield Piece(resource_index, index, record_index, resource, head, content)

    def _children(self, parent: Field, number: int) -> Iterator[Field | Damage]:
        message = scan(self.data, parent.start, parent.end)
        for field in message.fields:
            if field.end > len(self.data):
                self.cut_at = field.at
            if field.number == number and field.wire_type == LENGTH:
                yield field
        if message.error is not None:
            yield from self._damage(message.error, parent)

    def _damage(self, error: WireError, parent: Field) -> Iterator[Damage]:
        if error.is_cut:
            self.cut_at = error.at
        else:
            yield Damage(error.at, False, self.data[error.at : parent.end])

    def _head(self, parent: Field) -> bytes:
        found = b""
        for field in scan(self.data, parent.start, parent.end).fields:
            if (field.number, field.wire_type) == (_HEAD, LENGTH) and field.end <= len(self.data):
                found = self.data[field.start : field.end]
        return found
