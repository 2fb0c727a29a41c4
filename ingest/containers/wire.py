"""Protobuf on the wire, for messages the library refuses: what is whole, and what can be mended.

The library takes a message or refuses all of it: for one bad byte in one string, or for a missing
end. This walks the fields instead. Used only after a refusal; it is far slower.
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from google.protobuf.descriptor import FieldDescriptor

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
FIXED32: Final = 5

_FIXED_BYTES: Final = {FIXED64: 8, FIXED32: 4}
_LONGEST_VARINT: Final = 10
_MAX_DEPTH: Final = 100
"""The library's own limit."""


@dataclass(slots=True)
class WireError(Exception):
    """The bytes at an offset are no field.

    Args:
        at: Byte offset.
        is_cut: Whether the bytes end there, as opposed to being wrong.
    """

    at: int
    is_cut: bool


class Field(NamedTuple):
    """One field of a message; offsets into the whole."""

    number: int
    wire_type: int
    at: int
    """Where its tag begins."""
    start: int
    """Where its content begins."""
    end: int
    """Where its content ends, or would end if it were not cut off."""


class Message(NamedTuple):
    """The fields of one message, as far as they can be made out."""

    fields: list[Field]
    error: WireError | None


def scan(data: bytes, start: int, end: int) -> Message:
    """The fields between two offsets.

    Args:
        data: The whole.
        start: First byte of the message.
        end: One past its last byte, as declared; may lie beyond the data.

    Returns:
        The fields up to the first error. The last one may end beyond the data; one that ends beyond
        its message is an error.
    """
    fields: list[Field] = []
    at = start
    try:
        while at < min(end, len(data)):
            fields.append(_field(data, at, end))
            at = fields[-1].end
    except WireError as error:
        return Message(fields, error)
    return Message(fields, None)


def mended(data: bytes, descriptor: Any, depth: int = 0) -> bytes:
    """The message with each string that is not UTF-8 rewritten with backslash escapes.

    Args:
        data: The message.
        descriptor: Its type, a protobuf `Descriptor` (its stubs name two classes for one thing).
        depth: How many messages it stands in.

    Raises:
        WireError: It is damaged in another way, or nests too deep.
    """
    message = scan(data, 0, len(data))
    if message.error is not None:
        raise message.error
    if depth > _MAX_DEPTH:
        raise WireError(0, is_cut=False)
    return b"".join(_mended_field(data, field, descriptor, depth) for field in message.fields)


def _mended_field(data: bytes, field: Field, descriptor: Any, depth: int) -> bytes:
    known = descriptor.fields_by_number.get(field.number)
    if known is None or field.wire_type != LENGTH:
        return data[field.at : field.end]
    content = data[field.start : field.end]
    if known.type == FieldDescriptor.TYPE_STRING:
        content = content.decode("utf-8", "backslashreplace").encode()
    elif known.type == FieldDescriptor.TYPE_MESSAGE and known.message_type is not None:
        content = mended(content, known.message_type, depth + 1)
    return varint(field.number << 3 | LENGTH) + varint(len(content)) + content


def _field(data: bytes, at: int, end: int) -> Field:
    """The field at an offset; it must end within its message."""
    tag, start = _read_varint(data, at)
    number, wire_type = tag >> 3, tag & 7
    if wire_type == LENGTH:
        length, start = _read_varint(data, start)
        stop = start + length
    elif wire_type == VARINT:
        stop = _read_varint(data, start)[1]
    elif wire_type in _FIXED_BYTES:
        stop = start + _FIXED_BYTES[wire_type]
    else:
        raise WireError(at, is_cut=False)
    if number == 0 or stop > end:
        raise WireError(at, is_cut=False)
    return Field(number, wire_type, at, start, stop)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(_LONGEST_VARINT):
        if at + index >= len(data):
            raise WireError(at, is_cut=True)
        byte = data[at + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, at + index + 1
    raise WireError(at, is_cut=False)


def varint(value: int) -> bytes:
    """A whole number as protobuf writes it."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
