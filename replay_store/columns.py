"""Records to Arrow columns, typed by the tables they go to."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
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
    rows = (
        map(attrgetter(*types), records) if len(types) > 1 else _single(records, next(iter(types)))
    )
    columns = zip(*rows, strict=True)
    return pa.table(
        {
            name: _array(values, duck_type)
            for (name, duck_type), values in zip(types.items(), columns, strict=True)
        }
    )


def _single(records: Sequence[object], name: str) -> Iterable[tuple[Any]]:
    return ((getattr(record, name),) for record in records)


def _array(values: tuple[Any, ...], duck_type: str) -> pa.Array:
    convert = _CONVERTERS.get(duck_type)
    return pa.array(values if convert is None else convert(values), _ARROW_TYPES[duck_type])


def _uuids(values: Iterable[Any]) -> list[bytes | None]:
    return [
        None if value is None else value.bytes if isinstance(value, UUID) else bytes.fromhex(value)
        for value in values
    ]


def _unsigned(values: Iterable[Any]) -> list[int | None]:
    return [int(value, 16) if isinstance(value, str) else value for value in values]


def _texts(values: Iterable[Any]) -> list[str | None]:
    """Texts as they are, anything else as JSON; a value that many records share is written once."""
    written: dict[int, str] = {}
    texts: list[str | None] = []
    for value in values:
        if value is None or type(value) is str:
            texts.append(value)
            continue
        text = written.get(id(value))
        if text is None:
            text = written[id(value)] = str(value) if isinstance(value, str) else _json(value)
        texts.append(text)
    return texts


def _json(value: Any) -> str:
    return "[]" if value == [] else orjson.dumps(value).decode()


def _lists(values: Iterable[Any]) -> list[list[Any] | None]:
    return [None if value is None else list(value) for value in values]


_CONVERTERS: Mapping[str, Callable[[Iterable[Any]], Sequence[Any]]] = {
    "UUID": _uuids,
    "UBIGINT": _unsigned,
    "VARCHAR": _texts,
    "VARCHAR[]": _lists,
}
