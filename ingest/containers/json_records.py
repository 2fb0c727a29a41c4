"""One span or log record of OTLP/JSON to a record."""

from collections.abc import Mapping
from typing import Any

from ingest import ids
from ingest.containers.groups import Group
from ingest.containers.keys import camel
from ingest.containers.log_fields import LAST_SEVERITY, decoded_log, log_fields
from ingest.containers.mending import Mender
from ingest.containers.span_fields import (
    LAST_SPAN_KIND,
    LAST_STATUS_CODE,
    SPAN_KINDS,
    STATUS_CODES,
    span_fields,
)
from ingest.decoded import Decoded, Origin
from ingest.errors import Reason, RecordError
from ingest.values import attributes_from_json, value_from_json
from replay_store.records import Span


def span_from_json(value: Any, group: Group, origin: Origin) -> Decoded:
    """The span.

    Raises:
        RecordError: No object, or without usable ids.
    """
    span = _object(value, "span")
    mender = Mender(is_repaired=group.is_repaired)
    start, end = (
        mender.time(span.get("startTimeUnixNano")),
        mender.time(span.get("endTimeUnixNano")),
    )
    status = camel(_optional_object(span.get("status"), "status"))
    events = [_event(item, mender) for item in _list(span.get("events"), "events")]
    links = [_link(item, mender) for item in _list(span.get("links"), "links")]
    fields = span_fields(
        group,
        trace_id=_trace_id(span),
        span_id=_span_id(span),
        parent_span_id=mender.span_id(span.get("parentSpanId")),
        name=mender.text(span.get("name")) or "",
        otel_kind=mender.enum(span.get("kind"), SPAN_KINDS, LAST_SPAN_KIND),
        start=start,
        end=end,
        status_code=mender.enum(status.get("code"), STATUS_CODES, LAST_STATUS_CODE),
        status_message=mender.text(status.get("message")),
        attributes=attributes_from_json(span.get("attributes")),
        events=[event for event, _ in events],
        links=[link for link, _ in links],
        trace_state=mender.text(span.get("traceState")),
        flags=mender.unsigned(span.get("flags")),
        n_dropped=_n_dropped(span, mender) + sum(n for _, n in events) + sum(n for _, n in links),
    )
    return origin.decoded(Span, fields, is_repaired=mender.is_repaired)


def log_from_json(value: Any, group: Group, origin: Origin) -> Decoded:
    """The log record, or the noise row that came as one.

    Raises:
        RecordError: No object, or a noise row with an impossible field.
    """
    log = _object(value, "log record")
    mender = Mender(is_repaired=group.is_repaired)
    fields = log_fields(
        group,
        trace_id=mender.trace_id(log.get("traceId")),
        span_id=mender.span_id(log.get("spanId")),
        time=mender.time(log.get("timeUnixNano")),
        observed_time=mender.time(log.get("observedTimeUnixNano")),
        severity_number=_severity(log.get("severityNumber"), mender),
        severity_text=mender.text(log.get("severityText")),
        event_name=mender.text(log.get("eventName")),
        body=value_from_json(log.get("body")),
        attributes=attributes_from_json(log.get("attributes")),
    )
    return decoded_log(fields, group, origin, is_repaired=mender.is_repaired)


def _trace_id(span: Mapping[str, Any]) -> str:
    value = span.get("traceId")
    if found := ids.trace_id(value):
        return found
    raise RecordError(Reason.TRACE_ID, ids.describe("traceId", value, ids.TRACE_ID_BYTES))


def _span_id(span: Mapping[str, Any]) -> str:
    value = span.get("spanId")
    if found := ids.span_id(value):
        return found
    raise RecordError(Reason.SPAN_ID, ids.describe("spanId", value, ids.SPAN_ID_BYTES))


def _event(value: Any, mender: Mender) -> tuple[dict[str, Any], int]:
    event = _object(value, "event")
    kept = {
        "time_ns": mender.time(event.get("timeUnixNano")),
        "name": mender.text(event.get("name")) or "",
        "attributes": attributes_from_json(event.get("attributes")),
    }
    return kept, mender.unsigned(event.get("droppedAttributesCount"))


def _link(value: Any, mender: Mender) -> tuple[dict[str, Any], int]:
    link = _object(value, "link")
    kept = {
        "trace_id": mender.trace_id(link.get("traceId")),
        "span_id": mender.span_id(link.get("spanId")),
        "trace_state": mender.text(link.get("traceState")),
        "attributes": attributes_from_json(link.get("attributes")),
    }
    return kept, mender.unsigned(link.get("droppedAttributesCount"))


def _n_dropped(span: Mapping[str, Any], mender: Mender) -> int:
    return sum(
        mender.unsigned(span.get(field))
        for field in ("droppedAttributesCount", "droppedEventsCount", "droppedLinksCount")
    )


def _severity(value: Any, mender: Mender) -> int:
    if isinstance(value, str) and value.upper().startswith("SEVERITY_NUMBER_"):
        return _severity_named(value.upper().removeprefix("SEVERITY_NUMBER_"))
    return mender.enum(value, {}, LAST_SEVERITY)


def _severity_named(name: str) -> int:
    levels = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
    level = name.rstrip("234")
    if level not in levels:
        return 0
    return levels.index(level) * 4 + int(name.removeprefix(level) or "1")


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return camel(value)
    raise RecordError(
        Reason.SHAPE,
        f"{what}: a {type(value).__name__}: expected an object; check what wrote this record",
    )


def _optional_object(value: Any, what: str) -> Mapping[str, Any]:
    return _object(value, what) if value else {}


def _list(value: Any, what: str) -> list[Any]:
    if not value:
        return []
    if isinstance(value, list):
        return value
    raise RecordError(
        Reason.SHAPE,
        f"{what}: a {type(value).__name__}: expected a list; check what wrote this record",
    )
