"""Attributes of OTLP that are still bytes on the wire, to JSON values.

The kinds that nearly all attributes have are read here, straight from the bytes that every encoder
writes for them; whatever looks otherwise goes to the protobuf library, so that the answer is always
the library's.
"""

from collections.abc import Iterable, Mapping
from struct import Struct
from typing import Any, Final

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ingest.containers.wire import varint
from ingest.values import double, value_from_protobuf

_KEY: Final = 0x0A
_VALUE: Final = 0x12
_STRING: Final = 0x0A
_INTEGER: Final = 0x18
_DOUBLE: Final = Struct("<d")
_DOUBLE_TAG: Final = 0x21
_BOOLEANS: Final[Mapping[bytes, bool]] = {b"\x10\x00": False, b"\x10\x01": True}
_ONE_BYTE: Final = 0x80
"""Length from which a second byte is needed to say it."""
_SHORT: Final = 130
"""Length of an attribute from which it is not remembered: it would hardly come again."""
_LONGEST_TEXT: Final = 16_383
"""What two bytes can say; the library reads what is longer."""
_NEVER: Final = b"\xff"


def _heads() -> tuple[bytes, ...]:
    """How an attribute goes on after its key when its value is a text, by the bytes that are left."""
    found: dict[int, bytes] = {}
    for length in range(_LONGEST_TEXT + 1):
        head = bytes((_STRING,)) + varint(length)
        whole = bytes((_VALUE,)) + varint(len(head) + length) + head
        found[len(whole) + length] = whole
    return tuple(found.get(size, _NEVER) for size in range(max(found) + 1))


_HEADS: Final = _heads()
_LONG: Final = len(_HEADS)


class Known(dict[bytes, tuple[str, Any]]):
    """Short attributes by their bytes: the spans of one export repeat most of theirs."""

    def __missing__(self, raw: bytes) -> tuple[str, Any]:
        pair = self[raw] = _pair(raw)
        return pair


def attributes_from_bytes(raw: Iterable[bytes], known: Known | None = None) -> dict[str, Any]:
    """The attributes of a record, in the order they were written; of a repeated key the last value.

    Args:
        raw: Serialised KeyValues.
        known: What has been read before, for records that are read together.

    Raises:
        UnicodeDecodeError, DecodeError: An attribute that the library would refuse.
    """
    short = Known() if known is None else known
    return dict([short[pair] if len(pair) < _SHORT else _pair(pair) for pair in raw])


def _pair(raw: bytes) -> tuple[str, Any]:
    """One serialised KeyValue."""
    if len(raw) > 2 and raw[0] == _KEY and (length := raw[1]) < _ONE_BYTE:
        start = 2 + length
        left = len(raw) - start
        if 0 < left < _LONG:
            if raw.startswith(head := _HEADS[left], start):
                return raw[2:start].decode(), raw[start + len(head) :].decode()
            if raw[start] == _VALUE and 2 <= left < _ONE_BYTE and raw[start + 1] == left - 2:
                return raw[2:start].decode(), value_from_bytes(raw[start + 2 :])
    pair = KeyValue.FromString(raw)
    return pair.key, value_from_protobuf(pair.value)


def value_from_bytes(value: bytes) -> Any:
    """One serialised AnyValue as a JSON value.

    Raises:
        DecodeError: The library would refuse it.
    """
    length, kind = len(value), value[0] if value else 0
    if kind == _INTEGER:
        if length == 2 and (low := value[1]) < _ONE_BYTE:
            return low
        if length == 3 and (low := value[1]) >= _ONE_BYTE > (high := value[2]):
            return (low & 0x7F) | high << 7
    elif kind == _DOUBLE_TAG and length == 9:
        return double(*_DOUBLE.unpack_from(value, 1))
    elif (boolean := _BOOLEANS.get(value)) is not None:
        return boolean
    return value_from_protobuf(AnyValue.FromString(value))
