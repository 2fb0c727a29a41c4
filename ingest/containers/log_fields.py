"""The columns of a log record, and the log records that are something else.

Those are noise rows, and whole operations of agents that report by events.
"""

from collections.abc import Mapping
from typing import Any, Final

from ingest.containers.event_spans import span_told_by
from ingest.containers.groups import Group
from ingest.containers.noise import decoded_noise
from ingest.decoded import Decoded, Origin
from ingest.times import hour
from replay_store.records import Span, SpanLog

EVENT_NAME: Final = "event.name"
NOISE_EVENT: Final = "toolsight.noise"
"""Event name of a noise row sent as a log record; its attributes are the fields of the row."""
LAST_SEVERITY: Final = 24


def log_fields(
    group: Group,
    *,
    trace_id: str | None,
    span_id: str | None,
    time: int | None,
    observed_time: int | None,
    severity_number: int,
    severity_text: str | None,
    event_name: str | None,
    body: Any,
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """The columns of a log record, hash and provenance left out."""
    named = event_name or attributes.get(EVENT_NAME)
    return {
        "trace_id": trace_id,
        "span_id": span_id,
        "time_ns": time,
        "observed_time_ns": observed_time,
        "hour": hour(time if time is not None else observed_time),
        "severity_number": severity_number or None,
        "severity_text": severity_text,
        "event_name": str(named) if named else None,
        "body": body,
        "attributes": attributes,
        "service_name": group.service_name,
        "scope_name": group.scope_name,
        "resource": group.resource,
    }


def decoded_log(
    fields: dict[str, Any], group: Group, origin: Origin, *, is_repaired: bool
) -> Decoded:
    """The log record, or the noise row or span that came as one.

    Raises:
        RecordError: A noise row with a missing or impossible field.
    """
    if fields["event_name"] != NOISE_EVENT:
        told = span_told_by(fields, group)
        if told is not None:
            return origin.decoded(Span, told, is_repaired=is_repaired)
        return origin.decoded(SpanLog, fields, is_repaired=is_repaired)
    row = {
        "trace_id": fields["trace_id"],
        "span_id": fields["span_id"],
        "time_ns": fields["time_ns"] or fields["observed_time_ns"],
        **fields["attributes"],
    }
    return decoded_noise(row, origin, is_repaired=is_repaired)
