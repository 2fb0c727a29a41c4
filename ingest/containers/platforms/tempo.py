"""Grafana Tempo and Jaeger's API v3: OTLP under another name at the top."""

from collections.abc import Iterator
from typing import Any, Final

from ingest.containers.drafts import Desk, Draft, Format, Otlp, Pieces
from ingest.containers.fields import arr, obj
from ingest.kinds import Container

_GROUPS: Final = ("scopeSpans", "instrumentationLibrarySpans", "scope_spans")


def sign(value: Any) -> str | None:
    """`batches` of resource groups, or an export under `trace` or `result`."""
    found = obj(value)
    batches = arr(found.get("batches"))
    if batches and any(key in obj(batches[0]) for key in _GROUPS):
        return "batches holds resource groups"
    for wrapper in ("trace", "result"):
        if obj(found.get(wrapper)).keys() & {"resourceSpans", "resource_spans"}:
            return f"{wrapper} holds resourceSpans"
    return None


def read_exports(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The exports, renamed."""
    for piece in pieces:
        found = obj(piece.value)
        inner = obj(found.get("trace")) or obj(found.get("result"))
        export = inner or {"resourceSpans": found.get("batches")}
        yield Otlp(dict(export), "" if piece.place == "document" else piece.place)


FORMAT: Final = Format(Container.TEMPO, "a Tempo trace", sign, read_exports)
