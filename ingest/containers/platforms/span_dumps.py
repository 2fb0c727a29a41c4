"""Flat dumps of spans: what SDKs print and in-memory exporters write, Phoenix, ClickHouse rows.

| dump | known by |
| --- | --- |
| console of the Python SDK | `context.trace_id` beginning `0x` |
| console of the JavaScript SDK | `traceId`, `id`, `duration` and `attributes` |
| spans of the JavaScript SDK | `spanContext` or a `startTime` of two numbers |
| Phoenix | `context.trace_id` and `span_kind` |
| ClickHouse | `TraceId`, `SpanId` and `SpanAttributes` |
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ingest.containers.drafts import Draft, Format, SpanDraft, each
from ingest.containers.fields import (
    NS_PER_US,
    after_ns,
    arr,
    first,
    iso_ns,
    length_ns,
    moment_ns,
    obj,
    objects,
    scaled_ns,
    txt,
    whole,
)
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from ingest.times import NS_PER_SECOND

_STATUS: Final = {"OK": 1, "ERROR": 2, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}
_KINDS: Final = {
    "INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5,
}  # fmt: skip
_HEX_MARK: Final = "0x"


def console_sign(value: Any) -> str | None:
    """A span as the console exporter of Python or JavaScript prints it."""
    span = obj(value)
    trace_id = txt(obj(span.get("context")).get("trace_id"))
    if trace_id and "span_kind" not in span and "attributes" in span:
        return f"it has context.trace_id ({trace_id[:2]}...) and attributes"
    if span.keys() >= {"traceId", "id", "attributes", "duration"}:
        return "it has traceId, id, attributes and duration"
    return None


def readable_sign(value: Any) -> str | None:
    """A ReadableSpan of the JavaScript SDK."""
    span = obj(value)
    if "traceId" in obj(span.get("spanContext")) and "attributes" in span:
        return "it has spanContext.traceId and attributes"
    start = arr(span.get("startTime"))
    if len(start) == 2 and span.keys() >= {"name", "attributes"}:
        return "its startTime is two numbers, seconds and nanoseconds"
    grouped = next(iter(arr(next(iter(span.values()), None))), None)
    inner = readable_sign(grouped) if isinstance(grouped, dict) else None
    return f"its members hold spans: {inner}" if inner else None


def phoenix_sign(value: Any) -> str | None:
    """A span of Phoenix."""
    span = obj(value)
    is_span = "trace_id" in obj(span.get("context")) and "span_kind" in span
    return "it has context.trace_id and span_kind" if is_span else None


def clickhouse_sign(value: Any) -> str | None:
    """A row of the collector's ClickHouse exporter."""
    is_row = obj(value).keys() >= {"TraceId", "SpanId", "SpanAttributes"}
    return "it has TraceId, SpanId and SpanAttributes" if is_row else None


def read_console(value: Any) -> Iterator[Draft]:
    """One printed span."""
    span = obj(value)
    context = obj(span.get("context"))
    if not context:
        yield _javascript_console(span)
        return
    yield SpanDraft(
        _id(context.get("trace_id"), "context.trace_id"),
        _id(context.get("span_id"), "context.span_id"),
        txt(span.get("name")) or "",
        parent_key=_parent(span.get("parent_id")),
        start=iso_ns(span.get("start_time")),
        end=iso_ns(span.get("end_time")),
        otel_kind=_KINDS.get(str(span.get("kind")).rpartition(".")[2], 0),
        **_status(span.get("status")),
        attributes=dict(obj(span.get("attributes"))),
        events=[_event(event) for event in objects(span.get("events"))],
        resource=_resource(span.get("resource")),
        **_scope(first(span, "instrumentation_scope", "scope")),
    )


def _javascript_console(span: Mapping[str, Any]) -> SpanDraft:
    start = scaled_ns(span.get("timestamp"), NS_PER_US)
    length = length_ns(span.get("duration"), NS_PER_US)
    above = obj(span.get("parentSpanContext")).get("spanId") or span.get("parentId")
    return SpanDraft(
        _id(span.get("traceId"), "traceId"),
        _id(span.get("id"), "id"),
        txt(span.get("name")) or "",
        parent_key=_parent(above),
        start=start,
        end=after_ns(start, length),
        otel_kind=_javascript_kind(span.get("kind")),
        **_status(span.get("status")),
        attributes=dict(obj(span.get("attributes"))),
        events=[_event(event) for event in objects(span.get("events"))],
        resource=_resource(span.get("resource")),
        **_scope(first(span, "instrumentationScope", "instrumentationLibrary")),
    )


def read_readable(value: Any) -> Iterator[Draft]:
    """One span, or an object whose members are lists of spans."""
    span = obj(value)
    if "attributes" not in span:
        for group in span.values():
            for item in objects(group):
                yield from read_readable(item)
        return
    context = obj(first(span, "spanContext", "_spanContext"))
    above = obj(span.get("parentSpanContext")).get("spanId") or span.get("parentSpanId")
    yield SpanDraft(
        _id(context.get("traceId") or span.get("traceId"), "spanContext.traceId"),
        _id(context.get("spanId") or span.get("spanId"), "spanContext.spanId"),
        txt(span.get("name")) or "",
        parent_key=_parent(above),
        start=_pair_ns(span.get("startTime")),
        end=_pair_ns(span.get("endTime")),
        otel_kind=_javascript_kind(span.get("kind")),
        **_status(span.get("status")),
        attributes=dict(obj(span.get("attributes"))),
        events=[_event(event) for event in objects(span.get("events"))],
        resource=_resource(span.get("resource")),
        **_scope(first(span, "instrumentationScope", "instrumentationLibrary")),
    )


def read_phoenix(value: Any) -> Iterator[Draft]:
    """One span; its kind goes where OpenInference keeps it, nested attributes become dotted."""
    span = obj(value)
    context = obj(span.get("context"))
    attributes = dict(_dotted("", obj(span.get("attributes"))))
    kind = txt(span.get("span_kind"))
    if kind and kind.upper() != "UNKNOWN":
        attributes.setdefault("openinference.span.kind", kind.upper())
    yield SpanDraft(
        _id(context.get("trace_id"), "context.trace_id"),
        _id(context.get("span_id"), "context.span_id"),
        txt(span.get("name")) or "",
        parent_key=_parent(span.get("parent_id")),
        start=moment_ns(span.get("start_time")),
        end=moment_ns(span.get("end_time")),
        status_code=_STATUS.get(str(span.get("status_code")).upper(), 0),
        status_message=txt(span.get("status_message")),
        attributes=attributes,
        events=[_event(event) for event in objects(span.get("events"))],
    )


def read_clickhouse(value: Any) -> Iterator[Draft]:
    """One row; events are parallel lists."""
    row = obj(value)
    start = moment_ns(row.get("Timestamp"), 1)
    yield SpanDraft(
        _id(row.get("TraceId"), "TraceId"),
        _id(row.get("SpanId"), "SpanId"),
        txt(row.get("SpanName")) or "",
        parent_key=_parent(row.get("ParentSpanId")),
        start=start,
        end=after_ns(start, whole(row.get("Duration"))),
        otel_kind=_KINDS.get(str(row.get("SpanKind")).upper().removeprefix("SPAN_KIND_"), 0),
        status_code=_STATUS.get(str(row.get("StatusCode")).upper(), 0),
        status_message=txt(row.get("StatusMessage")),
        attributes=dict(obj(row.get("SpanAttributes"))),
        events=list(_parallel_events(row)),
        resource={
            "service.name": txt(row.get("ServiceName")),
            **obj(row.get("ResourceAttributes")),
        },
        scope_name=txt(row.get("ScopeName")),
        scope_version=txt(row.get("ScopeVersion")),
    )


def _parallel_events(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    names = _column(row, "Name")
    times, attributes = _column(row, "Timestamp"), _column(row, "Attributes")
    for index, name in enumerate(names):
        yield {
            "time_ns": moment_ns(times[index], 1) if index < len(times) else None,
            "name": txt(name) or "event",
            "attributes": dict(obj(attributes[index])) if index < len(attributes) else {},
        }


def _column(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    return arr(row.get(f"Events.{name}")) or arr(obj(row.get("Events")).get(name))


def _dotted(prefix: str, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Nested attributes by dotted name; lists of objects by index, as OpenInference flattens."""
    for name, item in value.items():
        key = f"{prefix}{name}"
        if isinstance(item, dict):
            yield from _dotted(f"{key}.", item)
        elif isinstance(item, list) and item and all(isinstance(part, dict) for part in item):
            numbered = {str(index): part for index, part in enumerate(item)}
            yield from _dotted(f"{key}.", numbered)
        else:
            yield key, item


def _id(value: Any, name: str) -> str:
    found = txt(value)
    if found is None:
        raise RecordError(Reason.SPAN_ID, f"a span without {name}: expected one; export it again")
    return found.removeprefix(_HEX_MARK)


def _parent(value: Any) -> str | None:
    found = (txt(value) or "").removeprefix(_HEX_MARK)
    return found if found.strip("0") else None


def _pair_ns(value: Any) -> int | None:
    pair = [whole(part) for part in arr(value)]
    if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
        return scaled_ns(pair[0] * NS_PER_SECOND + pair[1], 1)
    return moment_ns(value, 1)


def _javascript_kind(value: Any) -> int:
    """JavaScript counts kinds from internal = 0."""
    number = whole(value)
    return number + 1 if number is not None and 0 <= number < 5 else 0


def _status(value: Any) -> dict[str, Any]:
    status = obj(value)
    code = first(status, "status_code", "code")
    number = code if code in (1, 2) else _STATUS.get(str(code).rpartition(".")[2].upper(), 0)
    return {
        "status_code": number,
        "status_message": txt(first(status, "description", "message", "status_message")),
    }


def _resource(value: Any) -> Mapping[str, Any]:
    fields = obj(value)
    found = first(fields, "attributes", "_attributes", "_syncAttributes")
    return obj(found) if found is not None else fields


def _scope(value: Any) -> dict[str, Any]:
    scope = obj(value)
    return {"scope_name": txt(scope.get("name")), "scope_version": txt(scope.get("version"))}


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    time = first(event, "timestamp", "time", "Timestamp")
    return {
        "time_ns": _pair_ns(time) if isinstance(time, list) else moment_ns(time, 1),
        "name": txt(first(event, "name", "Name")) or "event",
        "attributes": dict(obj(first(event, "attributes", "Attributes"))),
    }


CONSOLE: Final = Format(Container.OTEL_CONSOLE, "printed spans", console_sign, each(read_console))
READABLE: Final = Format(
    Container.READABLE_SPANS, "spans of the JavaScript SDK", readable_sign, each(read_readable)
)
PHOENIX: Final = Format(Container.PHOENIX, "Phoenix spans", phoenix_sign, each(read_phoenix))
CLICKHOUSE: Final = Format(
    Container.CLICKHOUSE_SPANS, "ClickHouse span rows", clickhouse_sign, each(read_clickhouse)
)
