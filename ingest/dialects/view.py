"""One span as the dialects look at it."""

from dataclasses import dataclass
from typing import Any

from ingest.dialects.values import Attributes, Keys, first
from replay_store.records import Span, SpanEvent


@dataclass(frozen=True, slots=True)
class SpanView:
    """A span and the questions every dialect asks of it."""

    span: Span

    @property
    def attributes(self) -> Attributes:
        """The span's own attributes."""
        return self.span.attributes

    def first(self, keys: Keys) -> Any:
        """The first attribute of `keys` that is present and not empty."""
        return first(self.span.attributes, keys)

    def events(self, *names: str) -> list[SpanEvent]:
        """The events of these names, in order."""
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
