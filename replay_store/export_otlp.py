"""Spans and log records back out as OTLP/JSON Lines: what comes in again is the same records.

A line is one export request: the spans of one trace, or a part of them, in the order they came, under
the resource and scope they came with. What a record has beyond OTLP is derived on the way in again.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import orjson

from replay_store.database import Database
from replay_store.reader import iter_spans, logs_of, record_of
from replay_store.records import Span, SpanLog
from replay_store.statements import statement

SCOPE_ATTRIBUTES: Final = "otel.scope.attributes"
"""Where a resource keeps the attributes of the scope, which have no column of their own."""
_RECORDS_A_LINE: Final = 512
_INT64: Final = range(-(2**63), 2**63)


def otlp_lines(database: Database, trace_ids: Collection[str] | None = None) -> Iterator[bytes]:
    """Every stored version of every span and every log record, an export a line.

    Args:
        database: The store.
        trace_ids: Only these traces (32 lower hex); of the whole store without. Log records that
            belong to no trace come only with the whole store.
    """
    for spans in iter_spans(database):
        logs = logs_of(database, spans)
        yield from _lines_of_traces(spans, logs, trace_ids)
    rows = database.rows(statement("sql/logs_without_spans"))
    loose = [record_of(SpanLog, row) for row in rows]
    for log in loose:
        if trace_ids is None or log.trace_id in trace_ids:
            yield orjson.dumps(_export_logs([log]))


def otlp_request(spans: Sequence[Span]) -> dict[str, Any]:
    """One export request of these spans, in this order."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _pairs(resource)},
                "scopeSpans": [
                    {
                        "scope": _scope(first.scope_name, first.scope_version, scope),
                        "spans": [_span(span) for span in (first, *rest)],
                    }
                ],
            }
            for first, rest in _groups(spans)
            for resource, scope in (_resource(first.resource),)
        ]
    }


def _lines_of_traces(
    spans: Sequence[Span], logs: Sequence[SpanLog], trace_ids: Collection[str] | None
) -> Iterator[bytes]:
    logs_by_trace = {key: list(part) for key, part in groupby(logs, lambda log: log.trace_id)}
    for trace_id, group in groupby(spans, lambda span: span.trace_id):
        if trace_ids is not None and trace_id not in trace_ids:
            continue
        of_trace = list(group)
        for start in range(0, len(of_trace), _RECORDS_A_LINE):
            yield orjson.dumps(otlp_request(of_trace[start : start + _RECORDS_A_LINE]))
        if trace_id in logs_by_trace:
            yield orjson.dumps(_export_logs(logs_by_trace[trace_id]))


def _groups(spans: Sequence[Span]) -> Iterator[tuple[Span, list[Span]]]:
    """Neighbours of one resource and scope, so that the order of the records stays."""
    keyed = groupby(
        spans,
        lambda span: (
            orjson.dumps(span.resource, option=orjson.OPT_SORT_KEYS),
            span.scope_name,
            span.scope_version,
        ),
    )
    for _, part in keyed:
        first, *rest = part
        yield first, rest


def _export_logs(logs: Sequence[SpanLog]) -> dict[str, Any]:
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": _pairs(resource)},
                "scopeLogs": [
                    {"scope": _scope(log.scope_name, None, scope), "logRecords": [_log(log)]}
                ],
            }
            for log in logs
            for resource, scope in (_resource(log.resource),)
        ]
    }


def _resource(resource: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The resource, and the attributes of the scope that it keeps."""
    scope = resource.get(SCOPE_ATTRIBUTES)
    if not isinstance(scope, dict):
        return resource, {}
    return {name: value for name, value in resource.items() if name != SCOPE_ATTRIBUTES}, scope


def _scope(name: str | None, version: str | None, attributes: Mapping[str, Any]) -> dict[str, Any]:
    return _present(
        {"name": name, "version": version, "attributes": _pairs(attributes) if attributes else None}
    )


def _span(span: Span) -> dict[str, Any]:
    status = _present({"code": span.status_code or None, "message": span.status_message})
    return _present(
        {
            "traceId": span.trace_id,
            "spanId": span.span_id,
            "parentSpanId": span.parent_span_id,
            "name": span.name,
            "kind": span.otel_kind or None,
            "startTimeUnixNano": _time(span.start_time_ns),
            "endTimeUnixNano": _time(span.end_time_ns),
            "status": status or None,
            "attributes": _pairs(span.attributes),
            "events": [_event(event) for event in span.events] or None,
            "links": [_link(link) for link in span.links if isinstance(link, dict)] or None,
            "traceState": span.trace_state,
            "flags": span.flags,
            "droppedAttributesCount": span.n_dropped or None,
        }
    )


def _log(log: SpanLog) -> dict[str, Any]:
    return _present(
        {
            "traceId": log.trace_id,
            "spanId": log.span_id,
            "timeUnixNano": _time(log.time_ns),
            "observedTimeUnixNano": _time(log.observed_time_ns),
            "severityNumber": log.severity_number,
            "severityText": log.severity_text,
            "eventName": log.event_name,
            "body": None if log.body is None else _value(log.body),
            "attributes": _pairs(log.attributes),
        }
    )


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return _present(
        {
            "timeUnixNano": _time(event["time_ns"]),
            "name": event["name"],
            "attributes": _pairs(event["attributes"]),
        }
    )


def _link(link: Mapping[str, Any]) -> dict[str, Any]:
    return _present(
        {
            "traceId": link.get("trace_id"),
            "spanId": link.get("span_id"),
            "traceState": link.get("trace_state"),
            "attributes": _pairs(link.get("attributes") or {}),
        }
    )


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _time(time_ns: int | None) -> str | None:
    return None if time_ns is None else str(time_ns)


def _pairs(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Any) -> dict[str, Any]:
    """A JSON value as AnyValue; an integer that 64 bits cannot hold stays a bare number."""
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _pairs(value)}}
    return {}
