"""TRAIL: spans nested in each other (`child_spans`), and the errors people found in them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import Desk, Draft, Format, Pieces, Refused, ScoreDraft, SpanDraft
from ingest.containers.fields import (
    after_ns,
    first,
    iso_duration_ns,
    iso_ns,
    obj,
    objects,
    real,
    txt,
)
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_STATUS: Final = {"OK": 1, "ERROR": 2}
_KINDS: Final = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}


def sign(value: Any) -> str | None:
    """A trace of nested spans, or the errors of one."""
    found = obj(value)
    spans = next(objects(found.get("spans")), {})
    if "trace_id" in found and spans.keys() & {"child_spans", "span_attributes"}:
        return "it has trace_id and spans with child_spans"
    errors = next(objects(found.get("errors")), {})
    if errors.keys() >= {"category", "location"}:
        return "its errors have category and location"
    return None


def read_trail(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of each trace, the errors of each annotation; those name the trace by file."""
    for piece in pieces:
        found = obj(piece.value)
        trace_key = txt(found.get("trace_id")) or desk.stem
        if "spans" not in found and "errors" not in found:
            error = RecordError(Reason.SHAPE, "no TRAIL trace: expected spans or errors; remove it")
            yield Refused(piece.place, error, piece.value)
        for span in objects(found.get("spans")):
            yield from _spans(span, trace_key, None, piece.place)
        yield from _errors(found, trace_key)


def _spans(
    span: Mapping[str, Any], trace_key: str, parent: str | None, place: str
) -> Iterator[Draft]:
    waiting = [(span, parent)]
    while waiting:
        found, above = waiting.pop()
        key = txt(found.get("span_id"))
        if key is None:
            error = RecordError(Reason.SPAN_ID, "a span without span_id: expected one")
            yield Refused(place, error, dict(found))
            continue
        yield _span(found, trace_key, key, above)
        children = [(child, key) for child in objects(found.get("child_spans"))]
        waiting.extend(reversed(children))


def _span(span: Mapping[str, Any], trace_key: str, key: str, parent: str | None) -> SpanDraft:
    start = iso_ns(span.get("timestamp"))
    return SpanDraft(
        txt(span.get("trace_id")) or trace_key,
        key,
        txt(span.get("span_name")) or "",
        parent_key=txt(span.get("parent_span_id")) or parent,
        start=start,
        end=after_ns(start, iso_duration_ns(span.get("duration"))),
        otel_kind=_KINDS.get(str(span.get("span_kind")).upper(), 0),
        status_code=_STATUS.get(str(span.get("status_code")).upper(), 0),
        status_message=txt(span.get("status_message")),
        attributes=dict(obj(span.get("span_attributes"))),
        events=[_event(event) for event in objects(span.get("events"))],
        resource={
            "service.name": txt(span.get("service_name")),
            **obj(span.get("resource_attributes")),
        },
        scope_name=txt(span.get("scope_name")),
        scope_version=txt(span.get("scope_version")),
    )


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time_ns": iso_ns(first(event, "Timestamp", "timestamp")),
        "name": txt(first(event, "Name", "name")) or "event",
        "attributes": dict(obj(first(event, "Attributes", "attributes"))),
    }


def _errors(found: Mapping[str, Any], trace_key: str) -> Iterator[Draft]:
    for error in objects(found.get("errors")):
        yield ScoreDraft(
            "error",
            trace_key=trace_key,
            span_key=txt(error.get("location")),
            label=txt(error.get("category")),
            explanation=txt(first(error, "description", "evidence")),
            annotator=txt(error.get("impact")),
        )
    for scores in objects(found.get("scores")):
        for name, value in scores.items():
            if name.endswith("_score") and real(value) is not None:
                yield ScoreDraft(name, trace_key=trace_key, value=real(value))


FORMAT: Final = Format(Container.TRAIL, "a TRAIL trace", sign, read_trail)
