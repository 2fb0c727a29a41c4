"""Records to Arrow columns, typed by the tables they go to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

import numpy as np
import pyarrow as pa

from replay_store.json_object import json_text

_ARROW_TYPES: Final[Mapping[str, pa.DataType]] = {
    "UUID": pa.uuid(),
    "UBIGINT": pa.uint64(),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "UINTEGER": pa.uint32(),
    "SMALLINT": pa.int16(),
    "USMALLINT": pa.uint16(),
    "UTINYINT": pa.uint8(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "VARCHAR": pa.string(),
    "VARCHAR[]": pa.list_(pa.string()),
}


_JSON_VALUES: Final = frozenset({("span_log", "body")})
"""Columns that hold JSON even where the value is a text: read back, `"7"` and `7` are not the same."""


def table_name(record: type) -> str:
    """The table of a record class: its name in snake_case."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", record.__name__).lower()


def column_names(record: type) -> list[str]:
    """The columns of a record class, in order."""
    return [field.name for field in fields(record)]


def arrow_table(records: Sequence[object], types: Mapping[str, str]) -> pa.Table:
    """The records as an Arrow table.

    Args:
        records: Records of one class.
        types: DuckDB type of each column, in order.
    """
    rows = (
        map(attrgetter(*types), records) if len(types) > 1 else _single(records, next(iter(types)))
    )
    columns = zip(*rows, strict=True)
    table = table_name(type(records[0]))
    return pa.table(
        {
            name: _array(_as_json(values) if (table, name) in _JSON_VALUES else values, duck_type)
            for (name, duck_type), values in zip(types.items(), columns, strict=True)
        }
    )


def _single(records: Sequence[object], name: str) -> Iterable[tuple[Any]]:
    return ((getattr(record, name),) for record in records)


def _as_json(values: Sequence[Any]) -> list[str | None]:
    return [None if value is None else json_text(value).decode() for value in values]


def _array(values: Sequence[Any], duck_type: str) -> pa.Array:
    convert = _CONVERTERS.get(duck_type)
    return pa.array(values, _ARROW_TYPES[duck_type]) if convert is None else convert(values)


class _IdBytes(dict[Any, bytes | None]):
    """Ids as bytes; the records of one trace and of one file share theirs."""

    def __missing__(self, value: UUID | str | None) -> bytes | None:
        data = value.bytes if isinstance(value, UUID) else bytes.fromhex(value) if value else None
        self[value] = data
        return data


class _IdNumbers(dict[Any, int | None]):
    """64-bit ids as numbers, whether written in hex or not."""

    def __missing__(self, value: str | int | None) -> int | None:
        number = self[value] = int(value, 16) if isinstance(value, str) else value
        return number


def _uuids(values: Sequence[Any]) -> pa.Array:
    return pa.array(map(_IdBytes().__getitem__, values), pa.uuid(), size=len(values))


def _unsigned(values: Sequence[Any]) -> pa.Array:
    if all(type(value) is int for value in values):
        return pa.array(values, pa.uint64())
    return pa.array(map(_IdNumbers().__getitem__, values), pa.uint64(), size=len(values))


def _texts(values: Sequence[Any]) -> pa.Array:
    """Texts as they are, anything else as JSON."""
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return _json_texts(values)


def _json_texts(values: Sequence[Any]) -> pa.Array:
    """One copy of every text: the values are long, and most know how they are written."""
    parts = [_utf8(value) for value in values]
    is_null = np.fromiter((value is None for value in values), bool, len(values))
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, parts), np.int64, len(values)), out=offsets[1:])
    buffers = [_validity(is_null), pa.py_buffer(offsets), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.large_string(), len(values), buffers)


def _utf8(value: Any) -> bytes:
    if value is None:
        return b""
    return value.encode() if isinstance(value, str) else json_text(value)


def _validity(is_null: np.ndarray) -> pa.Buffer | None:
    if not is_null.any():
        return None
    return pa.py_buffer(np.packbits(~is_null, bitorder="little"))


def _lists(values: Iterable[Any]) -> pa.Array:
    return pa.array(
        [None if value is None else list(value) for value in values], pa.list_(pa.string())
    )


_CONVERTERS: Final[Mapping[str, Callable[[Sequence[Any]], pa.Array]]] = {
    "UUID": _uuids,
    "UBIGINT": _unsigned,
    "VARCHAR": _texts,
    "VARCHAR[]": _lists,
}
