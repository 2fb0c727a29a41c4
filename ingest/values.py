"""Attribute values of OTLP to JSON values, equal for the JSON and the protobuf form of one export.

int64 is an int, a double a float even when it is whole, bytes are base64 text, an empty value is
None; NaN and the infinities, which JSON cannot hold, are the strings OTLP/JSON writes for them;
integers beyond 64 bits are their decimal text. Duplicate keys: the last one wins.
"""

import base64
import binascii
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ingest.errors import Reason, RecordError
from ingest.times import INT64_MIN, whole_number

MAX_DEPTH: Final = 100
"""How deep lists and objects may nest in one value; JSON writers give up at 254 in all."""

_UINT64_MAX: Final = 2**64 - 1
_SPECIAL: Final = {"NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity"}


def attributes_from_protobuf(pairs: Iterable[KeyValue], depth: int = 0) -> dict[str, Any]:
    """A protobuf KeyValue list as a dictionary."""
    # The common kind first, here too: a call less for each attribute.
    return {
        pair.key: value.string_value or value_from_protobuf(value, depth)
        for pair in pairs
        for value in (pair.value,)
    }


def value_from_protobuf(value: AnyValue, depth: int = 0) -> Any:
    """A protobuf AnyValue as a JSON value."""
    # The common kind first: asking which kind is set costs more than reading a string.
    if text := value.string_value:
        return text
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    return _PROTOBUF_KINDS[kind](value, depth + 1)


def attributes_from_json(pairs: Any, depth: int = 0) -> dict[str, Any]:
    """A JSON KeyValue list, or a plain object in its place, as a dictionary.

    Raises:
        RecordError: Neither of the two; the message says what stands there.
    """
    if not pairs:
        return {}
    if isinstance(pairs, dict):
        return {key: _value_of_object(item, depth) for key, item in pairs.items()}
    if not isinstance(pairs, list):
        raise _shape("attributes", "a list of key and value", pairs)
    result = {}
    for pair in pairs:
        if not isinstance(pair, dict):
            raise _shape("attributes", "objects with key and value", pair)
        result[str(pair.get("key", ""))] = value_from_json(pair.get("value"), depth)
    return result


def value_from_json(value: Any, depth: int = 0) -> Any:
    """A JSON AnyValue, or a plain value in its place, as a JSON value.

    Raises:
        RecordError: It nests too deep, or a typed value is not of its type.
    """
    if not isinstance(value, dict):
        return plain_value(value, depth)
    # The common kind first, as in protobuf.
    if isinstance(text := value.get("stringValue"), str):
        return text
    for key, item in value.items():
        read = _JSON_KINDS.get(key)
        if read is not None and item is not None:
            return read(item, _deeper(depth))
    return None if not value or set(value) <= _JSON_KINDS.keys() else plain_value(value, depth)


def plain_value(value: Any, depth: int = 0) -> Any:
    """A value that was written as JSON itself, with what JSON cannot hold made text."""
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return double(value)
    depth = _deeper(depth)
    if isinstance(value, dict):
        return {key: plain_value(item, depth) for key, item in value.items()}
    return [plain_value(item, depth) for item in value]


def integer(value: int) -> int | str:
    """The integer; its decimal text where 64 bits cannot hold it."""
    return value if INT64_MIN <= value <= _UINT64_MAX else str(value)


def double(value: float) -> float | str:
    """The number; `NaN`, `Infinity` or `-Infinity` where it is none."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _value_of_object(value: Any, depth: int) -> Any:
    is_typed = isinstance(value, dict) and len(value) == 1 and next(iter(value)) in _JSON_KINDS
    return value_from_json(value, depth) if is_typed else plain_value(value, depth)


def _deeper(depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise RecordError(
            Reason.DEPTH,
            f"a value nests deeper than {MAX_DEPTH} levels: expected flat attributes; "
            "write the value as one JSON string",
        )
    return depth + 1


def _shape(field: str, expected: str, value: object) -> RecordError:
    return RecordError(
        Reason.SHAPE,
        f"{field}: a {type(value).__name__}: expected {expected}; check what wrote this record",
    )


def _json_integer(value: Any, _: int) -> Any:
    try:
        return integer(whole_number(value))
    except ValueError:
        return plain_value(value)


def _json_double(value: Any, _: int) -> Any:
    if isinstance(value, str) and value in _SPECIAL:
        return value
    try:
        return double(float(value))
    except (TypeError, ValueError, OverflowError):
        return plain_value(value)


def _json_bytes(value: Any, _: int) -> Any:
    if not isinstance(value, str):
        return plain_value(value)
    text = value.translate(_URL_SAFE)
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return value
    return base64.b64encode(decoded).decode("ascii")


def _json_list(value: Any, depth: int) -> Any:
    items = value.get("values") if isinstance(value, dict) else value
    if items is not None and not isinstance(items, list):
        raise _shape("arrayValue", "a list of values", items)
    return [value_from_json(item, depth) for item in items or ()]


def _json_object(value: Any, depth: int) -> Any:
    return attributes_from_json(value.get("values") if isinstance(value, dict) else value, depth)


def _json_plain(value: Any, depth: int) -> Any:
    return plain_value(value, depth)


_URL_SAFE = str.maketrans("-_", "+/")

_JSON_KINDS: Mapping[str, Callable[[Any, int], Any]] = {
    "stringValue": _json_plain,
    "boolValue": _json_plain,
    "intValue": _json_integer,
    "doubleValue": _json_double,
    "arrayValue": _json_list,
    "kvlistValue": _json_object,
    "bytesValue": _json_bytes,
    "string_value": _json_plain,
    "bool_value": _json_plain,
    "int_value": _json_integer,
    "double_value": _json_double,
    "array_value": _json_list,
    "kvlist_value": _json_object,
    "bytes_value": _json_bytes,
}

_PROTOBUF_KINDS: Mapping[str, Callable[[AnyValue, int], Any]] = {
    "string_value": lambda value, _: value.string_value,
    "bool_value": lambda value, _: value.bool_value,
    "int_value": lambda value, _: value.int_value,
    "double_value": lambda value, _: double(value.double_value),
    "array_value": lambda value, depth: [
        value_from_protobuf(item, depth) for item in value.array_value.values
    ],
    "kvlist_value": lambda value, depth: attributes_from_protobuf(value.kvlist_value.values, depth),
    "bytes_value": lambda value, _: base64.b64encode(value.bytes_value).decode("ascii"),
    "string_value_strindex": lambda _, __: None,
}
