"""The columns of a span that follow from its own fields, whichever way it was written."""

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.containers.groups import Group
from ingest.times import INT64_MAX, duration_ns, hour, latency_bucket

SPAN_KINDS: Mapping[str, int] = {
    "SPAN_KIND_UNSPECIFIED": 0,
    "SPAN_KIND_INTERNAL": 1,
    "SPAN_KIND_SERVER": 2,
    "SPAN_KIND_CLIENT": 3,
    "SPAN_KIND_PRODUCER": 4,
    "SPAN_KIND_CONSUMER": 5,
}
LAST_SPAN_KIND = 5
STATUS_CODES: Mapping[str, int] = {
    "STATUS_CODE_UNSET": 0,
    "STATUS_CODE_OK": 1,
    "STATUS_CODE_ERROR": 2,
    "UNSET": 0,
    "OK": 1,
    "ERROR": 2,
}
LAST_STATUS_CODE = 2
REPORTED_DURATION = "source.duration_ns"
"""Attribute of a span whose source tells how long it took, and not when."""


def span_fields(
    group: Group,
    *,
    trace_id: str,
    span_id: str,
    parent_span_id: str | None,
    name: str,
    otel_kind: int,
    start: int | None,
    end: int | None,
    status_code: int,
    status_message: str | None,
    attributes: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    links: Sequence[Mapping[str, Any]],
    trace_state: str | None,
    flags: int,
    n_dropped: int,
) -> dict[str, Any]:
    """The columns of a span, hash and provenance left out."""
    duration = _reported(attributes) if start is None else duration_ns(start, end)
    return {
        "trace_id": trace_id,
        "span_id": span_id,
        "parent_span_id": parent_span_id,
        "name": name,
        "otel_kind": otel_kind,
        "start_time_ns": start,
        "end_time_ns": end,
        "duration_ns": duration,
        "hour": hour(start),
        "lat_bucket": latency_bucket(duration),
        "status_code": status_code,
        "status_message": status_message,
        "service_name": group.service_name,
        "scope_name": group.scope_name,
        "scope_version": group.scope_version,
        "resource": group.resource,
        "attributes": attributes,
        "events": events,
        "links": links,
        "trace_state": trace_state,
        "flags": flags or None,
        "n_dropped": min(n_dropped, 2**32 - 1),
    }


def _reported(attributes: Mapping[str, Any]) -> int | None:
    value = attributes.get(REPORTED_DURATION)
    return value if type(value) is int and 0 <= value <= INT64_MAX else None
