"""What rows over rollups are made of: the questions asked, and rows by their cut."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from metrics.statements import Row

__all__ = ["Ask", "Given", "Key", "Table", "counted_rows", "is_told"]

Given = Mapping[str, Any]
Key = tuple[Any, ...]


class Ask(Protocol):
    """Asks rollups."""

    def __call__(self, part: str, **extra: object) -> Sequence[Row]:
        """The rows of `rolled/<part>.sql`, with parameters that are not the scope's."""


class Table:
    """Rows by their cut; a new one begins with zeros."""

    def __init__(self, keys: Sequence[str], zeros: Iterable[str]) -> None:
        self._keys = keys
        self._zeros = dict.fromkeys(zeros, 0)
        self._rows: dict[Key, Row] = {}

    def row(self, *key: object) -> Row:
        """The row of a cut, to be filled."""
        if key not in self._rows:
            self._rows[key] = dict(zip(self._keys, key, strict=True)) | self._zeros
        return self._rows[key]

    def rows(self) -> list[Row]:
        """In order of the keys, None first."""
        return [self._rows[key] for key in sorted(self._rows, key=_order)]


def _order(key: Key) -> tuple[tuple[bool, Any], ...]:
    return tuple((part is not None, part) for part in key)


def counted_rows(ask: Ask, counted: str) -> Iterator[Row]:
    """What is counted beside the shares, of one kind, as `is_told` says."""
    return (row for row in ask("counts") if row["counted"] == counted and is_told(row))


def is_told(row: Row) -> bool:
    """Whether it is of a part, a whole period or a time bucket of the scope: of those before none is drawn."""
    return row["tool_name"] is not None or row["bucket_time_ns"] is None or bool(row["is_now"])
