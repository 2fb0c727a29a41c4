"""Records to Arrow columns, typed by the tables they go to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any
from uuid import UUID

import orjson
import pyarrow as pa

_ARROW_TYPES: Mapping[str, pa.DataType] = {
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
    columns = {
        name: pa.array(_column(records, name, duck_type), _ARROW_TYPES[duck_type])
        for name, duck_type in types.items()
    }
    return pa.table(columns)


def _column(records: Sequence[object], name: str, duck_type: str) -> Iterable[Any]:
    values = (getattr(record, name) for record in records)
    convert = _CONVERTERS.get(duck_type)
    if convert is None:
        return list(values)
    return [None if value is None else convert(value) for value in values]


def _uuid_bytes(value: str | UUID) -> bytes:
    return value.bytes if isinstance(value, UUID) else bytes.fromhex(value)


def _unsigned(value: str | int) -> int:
    return value if isinstance(value, int) else int(value, 16)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "UUID": _uuid_bytes,
    "UBIGINT": _unsigned,
    "VARCHAR": _text,
    "VARCHAR[]": list,
}
