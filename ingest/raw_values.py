"""Attribute values of OTLP that are still bytes on the wire, to JSON values.

The kinds that nearly all attributes have are read here, straight from the bytes that every encoder
writes for them; whatever looks otherwise goes to the protobuf library, so that the answer is always
the library's.
"""

from collections.abc import Mapping
from struct import Struct
from typing import Any, Final

from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from ingest.containers.wire import varint
from ingest.values import double, value_from_protobuf

_STRING: Final = 0x0A
_INTEGER: Final = 0x18
_DOUBLE: Final = Struct("<d")
_DOUBLE_TAG: Final = 0x21
_BOOLEANS: Final[Mapping[bytes, bool]] = {b"\x10\x00": False, b"\x10\x01": True}
_SHORT: Final = 130
"""Length of a value from which its text needs a second byte to say how long it is."""
_LONG: Final = 16_387
"""Length of a value from which it needs a third one."""
_HEADS: Final = tuple(
    bytes((_STRING,)) + varint(max(length - (2 if length < _SHORT else 3), 0))
    for length in range(_LONG)
)
"""How a value begins that is a text and nothing else, by its length."""


class Values(dict[bytes, Any]):
    """Short values by their bytes: the spans of one export repeat most of theirs."""

    def __missing__(self, raw: bytes) -> Any:
        is_text = raw[:2] == _HEADS[len(raw)]
        value = self[raw] = raw[2:].decode() if is_text else value_from_bytes(raw)
        return value


def attributes_from_map(raw: Mapping[str, bytes], values: Values | None = None) -> dict[str, Any]:
    """The attributes of a record, ordered by key.

    Args:
        raw: Serialised AnyValues by key.
        values: What has been read before, for records that are read together.

    Raises:
        UnicodeDecodeError, DecodeError: A value that the library would refuse.
    """
    short = Values() if values is None else values
    return {
        key: short[value] if len(value := raw[key]) < _SHORT else _long(value)
        for key in sorted(raw)
    }


def _long(value: bytes) -> Any:
    length = len(value)
    is_text = length < _LONG and value[:3] == _HEADS[length]
    return value[3:].decode() if is_text else value_from_bytes(value)


def value_from_bytes(value: bytes) -> Any:
    """One serialised AnyValue as a JSON value.

    Raises:
        UnicodeDecodeError, DecodeError: The library would refuse it.
    """
    length, kind = len(value), value[0] if value else 0
    if kind == _INTEGER:
        if length == 2 and (low := value[1]) < 0x80:
            return low
        if length == 3 and (low := value[1]) >= 0x80 > (high := value[2]):
            return (low & 0x7F) | high << 7
    elif kind == _DOUBLE_TAG and length == 9:
        return double(*_DOUBLE.unpack_from(value, 1))
    elif (boolean := _BOOLEANS.get(value)) is not None:
        return boolean
    return value_from_protobuf(AnyValue.FromString(value))
