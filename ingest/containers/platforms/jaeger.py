"""Jaeger: traces as its user interface, its Elasticsearch store and its older API write them.

Times are microseconds, or RFC 3339 with a duration such as `5000ns` in the older API, whose ids are
base64. The client and the server of one remote call may share a span id; the server then gets a key
of its own beneath it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ingest.containers.drafts import Draft, Format, SpanDraft, any_sign, each, keys_sign
from ingest.containers.fields import (
    NS_PER_US,
    after_ns,
    arr,
    first,
    iso_ns,
    length_ns,
    obj,
    objects,
    real,
    scaled_ns,
    txt,
    whole,
)
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_KINDS: Final = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_STATUS: Final = {"OK": 1, "ERROR": 2}
_DURATION: Final = re.compile(r"(-?\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_UNITS: Final = {
    "ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000,
    "m": 60_000_000_000, "h": 3_600_000_000_000,
}  # fmt: skip
_TYPED: Final = ("vStr", "vBool", "vInt64", "vFloat64", "vBinary")
_HOUSEKEEPING: Final = frozenset(
    {"span.kind", "otel.status_code", "otel.status_description", "otel.scope.name",
     "otel.scope.version", "otel.library.name", "otel.library.version", "internal.span.format"}
)  # fmt: skip


def _interface_sign(value: Any) -> str | None:
    traces = arr(obj(value).get("data"))
    is_ours = bool(traces) and "traceID" in obj(traces[0]) and "spans" in obj(traces[0])
    return "data holds traces with traceID and spans" if is_ours else None


def _older_sign(value: Any) -> str | None:
    spans = arr(obj(value).get("spans"))
    is_ours = bool(spans) and {"spanId", "operationName"} <= obj(spans[0]).keys()
    return "spans have spanId and operationName" if is_ours else None


sign = any_sign(
    (
        _interface_sign,
        keys_sign("traceID", "spans", "processes"),
        keys_sign("traceID", "spanID", "operationName"),
        _older_sign,
    )
)


def read_jaeger(value: Any) -> Iterator[Draft]:
    """The spans of any of the forms."""
    found = obj(value)
    if "spanID" in found:
        yield from _trace([found], {})
    elif "data" in found:
        for trace in objects(found["data"]):
            yield from _trace(arr(trace.get("spans")), obj(trace.get("processes")))
    elif "spans" in found:
        yield from _trace(arr(found["spans"]), _process_map(found))
    else:
        raise RecordError(
            Reason.SHAPE, "no Jaeger trace: expected data, spans or one span; export it again"
        )


def _process_map(found: Mapping[str, Any]) -> Mapping[str, Any]:
    listed = {
        txt(entry.get("processId")) or "": entry.get("process")
        for entry in objects(found.get("processMap"))
    }
    return listed or obj(found.get("processes"))


def _trace(spans: Sequence[Any], processes: Mapping[str, Any]) -> Iterator[Draft]:
    usable = [span for span in spans if isinstance(span, dict)]
    is_server = {id(span): _tags(span.get("tags")).get("span.kind") == "server" for span in usable}
    callers = {_id(span) for span in usable if not is_server[id(span)]}
    servers = {
        (_id(span), txt(span.get("processID")))
        for span in usable
        if is_server[id(span)] and _id(span) in callers
    }
    for span in usable:
        yield _span(span, processes, servers)


def _span(
    span: Mapping[str, Any],
    processes: Mapping[str, Any],
    servers: set[tuple[str | None, str | None]],
) -> SpanDraft:
    trace_key, key = txt(first(span, "traceID", "traceId")), _id(span)
    if trace_key is None or key is None:
        raise RecordError(
            Reason.SPAN_ID, "a span without traceID or spanID: expected both; export it again"
        )
    process_id = txt(span.get("processID"))
    tags = _tags(span.get("tags")) | _dotted(span.get("tag"))
    parent = _parent(span, trace_key)
    is_server = (key, process_id) in servers and tags.get("span.kind") == "server"
    if (parent, process_id) in servers:
        parent = _server_key(parent or "")
    process = obj(span.get("process")) or obj(processes.get(process_id or ""))
    start, end = _times(span)
    return SpanDraft(
        trace_key,
        _server_key(key) if is_server else key,
        txt(span.get("operationName")) or "",
        parent_key=key if is_server else parent,
        start=start,
        end=end,
        otel_kind=_KINDS.get(str(tags.get("span.kind")), 0),
        status_code=_status(tags),
        status_message=txt(tags.get("otel.status_description")),
        attributes={name: tag for name, tag in tags.items() if name not in _HOUSEKEEPING},
        events=[_event(log) for log in objects(span.get("logs"))],
        resource=_tags(process.get("tags")) | {"service.name": txt(process.get("serviceName"))},
        scope_name=txt(first(tags, "otel.scope.name", "otel.library.name")),
        scope_version=txt(first(tags, "otel.scope.version", "otel.library.version")),
    )


def _id(span: Mapping[str, Any]) -> str | None:
    return txt(first(span, "spanID", "spanId"))


def _server_key(key: str) -> str:
    return f"{key}/server"


def _parent(span: Mapping[str, Any], trace_key: str) -> str | None:
    for reference in objects(span.get("references")):
        kind = reference.get("refType", "CHILD_OF")
        of_trace = txt(first(reference, "traceID", "traceId"))
        if kind in ("CHILD_OF", 0) and of_trace in (None, trace_key):
            return txt(first(reference, "spanID", "spanId"))
    return txt(first(span, "parentSpanID", "parentSpanId"))


def _times(span: Mapping[str, Any]) -> tuple[int | None, int | None]:
    start = iso_ns(span.get("startTime"))
    if start is None:
        start = scaled_ns(span.get("startTime"), NS_PER_US)
    length = span.get("duration")
    match = _DURATION.fullmatch(length) if isinstance(length, str) else None
    if match is not None:
        return start, after_ns(start, length_ns(match[1], _UNITS[match[2]]))
    return start, after_ns(start, length_ns(length, NS_PER_US))


def _status(tags: Mapping[str, Any]) -> int:
    named = _STATUS.get(str(tags.get("otel.status_code")).upper())
    if named is not None:
        return named
    return 2 if tags.get("error") in (True, "true") else 0


def _event(log: Mapping[str, Any]) -> dict[str, Any]:
    fields = _tags(log.get("fields"))
    time = log.get("timestamp")
    return {
        "time_ns": iso_ns(time) or scaled_ns(time, NS_PER_US),
        "name": txt(first(fields, "event", "message")) or "log",
        "attributes": {name: value for name, value in fields.items() if name != "event"},
    }


def _tags(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return _dotted(value)
    return {str(tag.get("key", "")): _tag(tag) for tag in objects(value)}


def _dotted(value: Any) -> dict[str, Any]:
    """Tags as an object, with `@` for the dots that Elasticsearch does not take."""
    return {name.replace("@", "."): tag for name, tag in obj(value).items()}


def _tag(tag: Mapping[str, Any]) -> Any:
    value = first(tag, "value", *_TYPED)
    kind = str(first(tag, "type", "vType") or "").lower()
    if kind == "int64":
        number = whole(value)
        return value if number is None else number
    if kind == "float64":
        number_real = real(value)
        return value if number_real is None else number_real
    if value is None and kind == "bool":
        return False
    return value


FORMAT: Final = Format(Container.JAEGER, "a Jaeger trace", sign, each(read_jaeger))
