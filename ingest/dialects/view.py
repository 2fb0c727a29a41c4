"""One span as the dialects look at it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from ingest.dialects.values import Attributes, Keys
from replay_store.records import Span, SpanEvent

_REMEMBERED_LENGTH: Final = 16 * 1024
"""Of the attribute names of a span, to be remembered."""


class Shape(dict[Keys, Keys]):
    """One set of attribute names: of each list of keys, those that it holds, in their order.

    One instrumentation writes the same names on span after span, and nearly all keys that dialects
    ask for are not among them: what is there is found out once for all of them.
    """

    def __init__(self, keys: str) -> None:
        super().__init__()
        self._names = frozenset(keys.split("\n"))
        self._tables: dict[str, Sequence[tuple[str, Keys]]] = {}

    def __missing__(self, keys: Keys) -> Keys:
        found = self[keys] = tuple(key for key in keys if key in self._names)
        return found

    def fields(self, table: str, fields: Mapping[str, Keys]) -> Sequence[tuple[str, Keys]]:
        """The fields of a table of which some key is there.

        Args:
            table: Names the table; equal for equal ones only.
            fields: The keys of each field.
        """
        known = self._tables.get(table)
        if known is None:
            known = [(field, keys) for field, keys in fields.items() if self[keys]]
            self._tables[table] = known
        return known


_remembered: Final = lru_cache(maxsize=1024)(Shape)


class SpanView:
    """A span and the questions every dialect asks of it."""

    __slots__ = ("_shape", "attributes", "keys", "span")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.attributes: Attributes = span.attributes
        self.keys = "\n" + "\n".join(span.attributes)
        """The attribute names, a line break before each."""
        is_usual = len(self.keys) <= _REMEMBERED_LENGTH
        self._shape = _remembered(self.keys) if is_usual else Shape(self.keys)

    def has(self, prefix: str) -> bool:
        """Whether the name of some attribute begins so."""
        # One search of one text: this is asked of every span, by every dialect.
        return f"\n{prefix}" in self.keys

    def first(self, keys: Keys) -> Any:
        """The first attribute of `keys` that is present and not empty."""
        # Written out, not `values.first`: this is asked some twenty times of every span.
        get = self.attributes.get
        for key in self._shape[keys]:
            value = get(key)
            if value is not None and value != "":
                return value
        return None

    def fields(self, table: str, fields: Mapping[str, Keys]) -> Sequence[tuple[str, Keys]]:
        """The fields of a table of which the span has some key; see `Shape.fields`."""
        return self._shape.fields(table, fields)

    def events(self, *names: str) -> list[SpanEvent]:
        """The events of these names, in order."""
        if not self.span.events:
            return []
        return [event for event in self.span.events if event["name"] in names]

    def exception(self) -> tuple[str | None, str | None]:
        """Type and message of the last exception event; Nones without one."""
        found = self.events("exception")
        if not found:
            return None, None
        attributes = found[-1]["attributes"]
        kind = attributes.get("exception.type")
        message = attributes.get("exception.message")
        return (str(kind) if kind else None), (str(message) if message else str(kind or ""))
