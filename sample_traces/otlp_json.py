"""Spans as OTLP's JSON, without an exporter: ids in hex, 64-bit integers as text, enums as numbers.

Source: OpenTelemetry protocol 1.x, JSON encoding of `ExportTraceServiceRequest`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Link, SpanContext, StatusCode
from opentelemetry.util.types import Attributes

_STATUS = {StatusCode.UNSET: 0, StatusCode.OK: 1, StatusCode.ERROR: 2}
_HAS_IS_REMOTE, _IS_REMOTE = 0x100, 0x200
"""Bits of `flags` that say whether the parent is in another process."""


def export_request(spans: Sequence[ReadableSpan]) -> dict[str, Any]:
    """One ExportTraceServiceRequest; spans of one resource and one scope lie together."""
    by_resource: dict[Resource, list[ReadableSpan]] = {}
    for span in spans:
        by_resource.setdefault(span.resource, []).append(span)
    return {"resourceSpans": [_resource_spans(*item) for item in by_resource.items()]}


def _resource_spans(resource: Resource, spans: Sequence[ReadableSpan]) -> dict[str, Any]:
    scopes: dict[tuple[str, str | None], list[ReadableSpan]] = {}
    for span in spans:
        scope = span.instrumentation_scope
        key = ("", None) if scope is None else (scope.name, scope.version)
        scopes.setdefault(key, []).append(span)
    return {
        "resource": {"attributes": _attributes(resource.attributes)},
        "scopeSpans": [
            {"scope": _present({"name": name, "version": version}), "spans": [*map(_span, found)]}
            for (name, version), found in scopes.items()
        ],
    }


def _span(span: ReadableSpan) -> dict[str, Any]:
    context = span.get_span_context()
    if context is None:
        raise ValueError(f"{span.name}: a span without ids cannot be sent")
    return {
        **_body(span, context),
        "status": _present(
            {
                "message": span.status.description,
                "code": _STATUS[span.status.status_code] or None,
            }
        ),
        "flags": _flags(span.parent),
    }


def _body(span: ReadableSpan, context: SpanContext) -> dict[str, Any]:
    return _present(
        {
            "traceId": f"{context.trace_id:032x}",
            "spanId": f"{context.span_id:016x}",
            "traceState": context.trace_state.to_header() or None,
            "parentSpanId": None if span.parent is None else f"{span.parent.span_id:016x}",
            "name": span.name,
            "kind": span.kind.value + 1,
            "startTimeUnixNano": _integer(span.start_time),
            "endTimeUnixNano": _integer(span.end_time),
            "attributes": _attributes(span.attributes),
            "events": [
                _present(
                    {
                        "timeUnixNano": str(event.timestamp),
                        "name": event.name,
                        "attributes": _attributes(event.attributes),
                    }
                )
                for event in span.events
            ],
            "links": [*map(_link, span.links)],
        }
    )


def _link(link: Link) -> dict[str, Any]:
    return _present(
        {
            "traceId": f"{link.context.trace_id:032x}",
            "spanId": f"{link.context.span_id:016x}",
            "attributes": _attributes(link.attributes),
        }
    )


def _flags(parent: SpanContext | None) -> int:
    remote = _IS_REMOTE if parent is not None and parent.is_remote else 0
    return _HAS_IS_REMOTE | remote


def _attributes(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in (attributes or {}).items()]


def _value(value: object) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, Iterable):
        return {"arrayValue": _present({"values": [*map(_value, value)]})}
    return {"stringValue": str(value)}


def _integer(value: int | None) -> str | None:
    return None if value is None else str(value)


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    """What has a value; empty lists are left out, as protobuf does."""
    return {name: value for name, value in values.items() if value not in (None, [], "")}
