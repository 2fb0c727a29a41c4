"""Zipkin v2: a list of spans, every value of their tags a string, times in microseconds.

The client and the server of one call may share a span id (`shared`): the server then gets a key of
its own beneath it. A tag `error` is a failure, its value the message.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import Draft, Format, SpanDraft, each
from ingest.containers.fields import (
    NS_PER_US,
    after_ns,
    decoded,
    kept,
    length_ns,
    obj,
    objects,
    scaled_ns,
    txt,
)
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_KINDS: Final = {"SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_ZIPKIN: Final = frozenset({"localEndpoint", "remoteEndpoint", "tags", "annotations", "shared"})
_LITERALS: Final = {"true": True, "false": False}


def sign(value: Any) -> str | None:
    """A span: `traceId`, `id`, a time in microseconds, and something only Zipkin has."""
    span = obj(value)
    if not span.keys() >= {"traceId", "id"} or not isinstance(span.get("timestamp", 0), int):
        return None
    own = sorted(span.keys() & _ZIPKIN)
    is_span = bool(own) and "attributes" not in span and isinstance(span["id"], str)
    return f"it has traceId, id and {own[0]}" if is_span else None


def read_span(value: Any) -> Iterator[Draft]:
    """One span."""
    span = obj(value)
    trace_key, key = txt(span.get("traceId")), txt(span.get("id"))
    if trace_key is None or key is None:
        raise RecordError(
            Reason.SPAN_ID, "a span without traceId or id: expected both; export it again"
        )
    tags = {name: _plain(tag) for name, tag in obj(span.get("tags")).items()}
    start = scaled_ns(span.get("timestamp"), NS_PER_US)
    length = length_ns(span.get("duration"), NS_PER_US)
    is_shared = span.get("shared") is True
    yield SpanDraft(
        trace_key,
        f"{key}/server" if is_shared else key,
        txt(span.get("name")) or "",
        parent_key=key if is_shared else txt(span.get("parentId")),
        start=start,
        end=after_ns(start, length),
        otel_kind=_KINDS.get(str(span.get("kind")), 0),
        status_code=_status(tags),
        status_message=txt(tags.get("error")) or txt(tags.get("otel.status_description")),
        attributes={name: tag for name, tag in tags.items() if name not in _HOUSEKEEPING},
        events=[_event(note) for note in objects(span.get("annotations"))],
        resource=kept({"service.name": txt(obj(span.get("localEndpoint")).get("serviceName"))}),
        scope_name=txt(tags.get("otel.scope.name")) or txt(tags.get("otel.library.name")),
    )


_HOUSEKEEPING: Final = frozenset({"otel.status_code", "otel.status_description"})


def _status(tags: Mapping[str, Any]) -> int:
    written = str(tags.get("otel.status_code")).upper()
    if written == "ERROR" or tags.get("error", False) not in (False, None):
        return 2
    return 1 if written == "OK" else 0


def _plain(tag: Any) -> Any:
    """A tag as what its text says: a number, a truth value, JSON, or the text."""
    if not isinstance(tag, str):
        return tag
    if tag in _LITERALS:
        return _LITERALS[tag]
    if tag.isdecimal() and len(tag) < 19 and (tag == "0" or tag[0] != "0"):
        return int(tag)
    return decoded(tag)


def _event(note: Mapping[str, Any]) -> dict[str, Any]:
    """OpenTelemetry's exporters write an event as an annotation `{"name": {attributes}}`."""
    value = decoded(note.get("value"))
    time = scaled_ns(note.get("timestamp"), NS_PER_US)
    if isinstance(value, dict) and len(value) == 1:
        [(name, attributes)] = value.items()
        if isinstance(attributes, dict):
            return {"time_ns": time, "name": name, "attributes": attributes}
    text = note.get("value")
    return {"time_ns": time, "name": txt(text) or "annotation", "attributes": {}}


FORMAT: Final = Format(Container.ZIPKIN, "Zipkin spans", sign, each(read_span))
