"""One span as the dialects look at it."""

from typing import Any

from ingest.dialects.values import Attributes, Keys
from replay_store.records import Span, SpanEvent


class SpanView:
    """A span and the questions every dialect asks of it."""

    __slots__ = ("attributes", "keys", "span")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.attributes: Attributes = span.attributes
        self.keys = "\n" + "\n".join(span.attributes)
        """The attribute names, a line break before each."""

    def has(self, prefix: str) -> bool:
        """Whether the name of some attribute begins so."""
        # One search of one text: this is asked of every span, by every dialect.
        return f"\n{prefix}" in self.keys

    def first(self, keys: Keys) -> Any:
        """The first attribute of `keys` that is present and not empty."""
        # Written out, not `values.first`: this is asked some twenty times of every span.
        get = self.attributes.get
        for key in keys:
            value = get(key)
            if value is not None and value != "":
                return value
        return None

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
