"""One span or log record of OTLP protobuf to a record."""

from typing import Any

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtobufSpan

from ingest import ids
from ingest.containers.groups import Group
from ingest.containers.log_fields import LAST_SEVERITY, decoded_log, log_fields
from ingest.containers.mending import Mender
from ingest.containers.span_fields import LAST_SPAN_KIND, LAST_STATUS_CODE, span_fields
from ingest.decoded import Decoded, Origin
from ingest.errors import Reason, RecordError
from ingest.values import attributes_from_protobuf, value_from_protobuf
from replay_store.records import Span


def span_from_protobuf(
    span: ProtobufSpan, group: Group, origin: Origin, *, is_repaired: bool = False
) -> Decoded:
    """The span.

    Raises:
        RecordError: Without usable ids.
    """
    mender = Mender(is_repaired=is_repaired or group.is_repaired)
    status = span.status
    fields = span_fields(
        group,
        trace_id=_trace_id(span.trace_id),
        span_id=_span_id(span.span_id),
        parent_span_id=mender.span_id(span.parent_span_id) if span.parent_span_id else None,
        name=span.name,
        otel_kind=_within(span.kind, LAST_SPAN_KIND),
        start=mender.time(span.start_time_unix_nano),
        end=mender.time(span.end_time_unix_nano),
        status_code=_within(status.code, LAST_STATUS_CODE),
        status_message=status.message or None,
        attributes=attributes_from_protobuf(span.attributes),
        events=[_event(event, mender) for event in span.events],
        links=[_link(link, mender) for link in span.links],
        trace_state=span.trace_state or None,
        flags=span.flags,
        n_dropped=_n_dropped(span),
    )
    return origin.decoded(Span, fields, is_repaired=mender.is_repaired)


def log_from_protobuf(
    log: LogRecord, group: Group, origin: Origin, *, is_repaired: bool = False
) -> Decoded:
    """The log record, or the noise row that came as one.

    Raises:
        RecordError: A noise row with an impossible field.
    """
    mender = Mender(is_repaired=is_repaired or group.is_repaired)
    fields = log_fields(
        group,
        trace_id=mender.trace_id(log.trace_id),
        span_id=mender.span_id(log.span_id),
        time=mender.time(log.time_unix_nano),
        observed_time=mender.time(log.observed_time_unix_nano),
        severity_number=_within(log.severity_number, LAST_SEVERITY),
        severity_text=log.severity_text or None,
        event_name=log.event_name or None,
        body=value_from_protobuf(log.body),
        attributes=attributes_from_protobuf(log.attributes),
    )
    return decoded_log(fields, origin, is_repaired=mender.is_repaired)


def _trace_id(value: bytes) -> str:
    if found := ids.trace_id(value):
        return found
    raise RecordError(Reason.TRACE_ID, ids.describe("trace_id", value, ids.TRACE_ID_BYTES))


def _span_id(value: bytes) -> str:
    if found := ids.span_id(value):
        return found
    raise RecordError(Reason.SPAN_ID, ids.describe("span_id", value, ids.SPAN_ID_BYTES))


def _within(number: int, last: int) -> int:
    return number if 0 <= number <= last else 0


def _event(event: ProtobufSpan.Event, mender: Mender) -> dict[str, Any]:
    return {
        "time_ns": mender.time(event.time_unix_nano),
        "name": event.name,
        "attributes": attributes_from_protobuf(event.attributes),
    }


def _link(link: ProtobufSpan.Link, mender: Mender) -> dict[str, Any]:
    return {
        "trace_id": mender.trace_id(link.trace_id),
        "span_id": mender.span_id(link.span_id),
        "trace_state": link.trace_state or None,
        "attributes": attributes_from_protobuf(link.attributes),
    }


def _n_dropped(span: ProtobufSpan) -> int:
    return (
        span.dropped_attributes_count
        + span.dropped_events_count
        + span.dropped_links_count
        + sum(event.dropped_attributes_count for event in span.events)
        + sum(link.dropped_attributes_count for link in span.links)
    )
