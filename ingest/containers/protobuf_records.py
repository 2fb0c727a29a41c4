"""One span or log record of OTLP protobuf to a record."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from ingest import ids
from ingest.containers.groups import Group
from ingest.containers.log_fields import LAST_SEVERITY, decoded_log, log_fields
from ingest.containers.mending import Mender
from ingest.containers.span_fields import LAST_SPAN_KIND, LAST_STATUS_CODE, span_fields
from ingest.decoded import Decoded, Origin
from ingest.errors import Reason, RecordError
from ingest.raw_values import Known, attributes_from_bytes
from ingest.times import INT64_MAX
from ingest.values import attributes_from_protobuf, value_from_protobuf
from replay_store.records import Span

_PLAIN: Final = attrgetter(
    "trace_id", "span_id", "parent_span_id", "name", "kind", "start_time_unix_nano",
    "end_time_unix_nano", "status.code", "status.message", "trace_state", "flags",
    "dropped_attributes_count", "dropped_events_count", "dropped_links_count", "events", "links",
)  # fmt: skip
"""What a span holds besides its attributes."""
_NO_TRACE: Final = bytes(ids.TRACE_ID_BYTES)
_NO_SPAN: Final = bytes(ids.SPAN_ID_BYTES)


def spans_from_protobuf(
    spans: Sequence[Any], group: Group, origin: Origin, *, is_repaired: bool = False
) -> list[Decoded]:
    """The spans of one scope, all of them or none.

    One step after the other, each over all the spans: that is half as dear as span after span,
    because each step's code and data stay in the processor's caches.

    Raises:
        RecordError: A span is without usable ids.
        UnicodeDecodeError, DecodeError: A value that the library would refuse.
    """
    known = Known()
    attributes = [attributes_from_bytes(span.attributes, known) for span in spans]
    menders = [Mender(is_repaired=is_repaired or group.is_repaired) for _ in spans]
    fields = [
        _span_fields(group, plain, own, mender)
        for plain, own, mender in zip(map(_PLAIN, spans), attributes, menders, strict=True)
    ]
    return origin.decoded_all(Span, fields, [mender.is_repaired for mender in menders])


def _span_fields(
    group: Group, plain: tuple[Any, ...], attributes: dict[str, Any], mender: Mender
) -> dict[str, Any]:
    (
        trace_id, span_id, parent, name, kind, start, end, code, message, state, flags,
        n_attributes, n_events, n_links, events, links,
    ) = plain  # fmt: skip
    n_dropped = n_attributes + n_events + n_links
    if events or links:
        n_dropped += sum(part.dropped_attributes_count for part in (*events, *links))
    return span_fields(
        group,
        trace_id=_trace_id(trace_id),
        span_id=_span_id(span_id),
        parent_span_id=mender.span_id(parent) if parent else None,
        name=name,
        otel_kind=_within(kind, LAST_SPAN_KIND),
        start=start if 0 < start <= INT64_MAX else mender.time(start),
        end=end if 0 < end <= INT64_MAX else mender.time(end),
        status_code=_within(code, LAST_STATUS_CODE),
        status_message=message or None,
        attributes=attributes,
        events=[_event(event, mender) for event in events] if events else [],
        links=[_link(link, mender) for link in links] if links else [],
        trace_state=state or None,
        flags=flags,
        n_dropped=n_dropped,
    )


def logs_from_protobuf(
    logs: Sequence[Any], group: Group, origin: Origin, *, is_repaired: bool = False
) -> list[Decoded]:
    """The log records, or the noise rows that came as such.

    Raises:
        RecordError: A noise row has an impossible field.
        UnicodeDecodeError, DecodeError: A value that the library would refuse.
    """
    return [_log(log, group, origin, is_repaired=is_repaired) for log in logs]


def _log(log: Any, group: Group, origin: Origin, *, is_repaired: bool) -> Decoded:
    mender = Mender(is_repaired=is_repaired or group.is_repaired)
    fields = _log_fields(log, group, mender)
    return decoded_log(fields, group, origin, is_repaired=mender.is_repaired)


def _log_fields(log: Any, group: Group, mender: Mender) -> dict[str, Any]:
    return log_fields(
        group,
        trace_id=mender.trace_id(log.trace_id),
        span_id=mender.span_id(log.span_id),
        time=mender.time(log.time_unix_nano),
        observed_time=mender.time(log.observed_time_unix_nano),
        severity_number=_within(log.severity_number, LAST_SEVERITY),
        severity_text=log.severity_text or None,
        event_name=log.event_name or None,
        body=value_from_protobuf(log.body),
        attributes=attributes_from_bytes(log.attributes),
    )


def _trace_id(value: bytes) -> str:
    if len(value) == ids.TRACE_ID_BYTES and value != _NO_TRACE:
        return value.hex()
    if found := ids.trace_id(value):
        return found
    raise RecordError(Reason.TRACE_ID, ids.describe("trace_id", value, ids.TRACE_ID_BYTES))


def _span_id(value: bytes) -> str:
    if len(value) == ids.SPAN_ID_BYTES and value != _NO_SPAN:
        return value.hex()
    if found := ids.span_id(value):
        return found
    raise RecordError(Reason.SPAN_ID, ids.describe("span_id", value, ids.SPAN_ID_BYTES))


def _within(number: int, last: int) -> int:
    return number if 0 <= number <= last else 0


def _event(event: Any, mender: Mender) -> dict[str, Any]:
    return {
        "time_ns": mender.time(event.time_unix_nano),
        "name": event.name,
        "attributes": dict(sorted(attributes_from_bytes(event.attributes).items())),
    }


def _link(link: Any, mender: Mender) -> dict[str, Any]:
    return {
        "trace_id": mender.trace_id(link.trace_id),
        "span_id": mender.span_id(link.span_id),
        "trace_state": link.trace_state or None,
        "attributes": attributes_from_protobuf(link.attributes),
    }
