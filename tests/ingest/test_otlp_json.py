"""OTLP/JSON documents to records and rejects."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from ingest import Decoded, Ignored, Origin, decode_json
from replay_store.records import NoiseLog, Reject, Span, SpanLog

Make = Callable[..., dict[str, Any]]


def _spans(document: Any, origin: Origin) -> list[Span]:
    items = list(decode_json(orjson.dumps(document), origin))
    assert all(isinstance(item, Decoded) for item in items), items
    return [item.record for item in items if isinstance(item, Decoded)]  # type: ignore[misc]


def _rejects(document: Any, origin: Origin) -> list[tuple[str, str]]:
    items = decode_json(orjson.dumps(document), origin)
    return [(item.place, item.reason) for item in items if isinstance(item, Reject)]


def test_every_field_of_a_span_is_kept(export: Make, make_json_span: Make, origin: Origin) -> None:
    event = {
        "timeUnixNano": "1796000000100000000",
        "name": "exception",
        "droppedAttributesCount": 1,
    }
    link = {"traceId": "a" * 32, "spanId": "b" * 16, "attributes": {"why": "retry"}}
    value = make_json_span(
        parentSpanId="00F067AA0BA902B8",
        kind="SPAN_KIND_CLIENT",
        status={"code": "STATUS_CODE_ERROR", "message": "too slow"},
        attributes=[{"key": "n", "value": {"intValue": "3"}}],
        events=[event],
        links=[link],
        traceState="a=b",
        flags=257,
        droppedAttributesCount=2,
        droppedEventsCount="3",
        unknownField={"ignored": True},
    )
    [span] = _spans(export(value), origin)
    assert (span.parent_span_id, span.otel_kind) == ("00f067aa0ba902b8", 3)
    assert (span.status_code, span.status_message) == (2, "too slow")
    assert (span.duration_ns, span.hour, span.lat_bucket) == (250_000_000, 498888, 627)
    assert (span.service_name, span.scope_name, span.scope_version) == ("shop", "agent", "1")
    assert span.resource == {"service.name": "shop"}
    assert span.attributes == {"n": 3}
    assert span.events == [{"time_ns": 1796000000100000000, "name": "exception", "attributes": {}}]
    assert span.links == [
        {
            "trace_id": "a" * 32,
            "span_id": "b" * 16,
            "trace_state": None,
            "attributes": {"why": "retry"},
        }
    ]
    assert (span.trace_state, span.flags, span.n_dropped) == ("a=b", 257, 6)
    assert (span.record_index, span.received_time_ns) == (0, origin.received_time_ns)


def test_snake_case_and_the_older_names_are_taken(make_json_span: Make, origin: Origin) -> None:
    modern = {
        "resourceSpans": [{"scopeSpans": [{"scope": {"name": "a"}, "spans": [make_json_span()]}]}]
    }
    snake_span = {
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "span_id": "00f067aa0ba902b7",
        "name": "chat",
        "start_time_unix_nano": 1796000000000000000,
        "end_time_unix_nano": 1796000000250000000,
        "events": None,
        "links": None,
    }
    snake = {"resource_spans": [{"scope_spans": [{"scope": {"name": "a"}, "spans": [snake_span]}]}]}
    older = {
        "resourceSpans": [
            {
                "instrumentationLibrarySpans": [
                    {"instrumentationLibrary": {"name": "a"}, "spans": [make_json_span()]}
                ]
            }
        ]
    }
    hashes = {_spans(document, origin)[0].record_hash for document in (modern, snake, older)}
    assert len(hashes) == 1


def test_scope_attributes_are_kept_beside_the_resource(
    export: Make, make_json_span: Make, origin: Origin
) -> None:
    document = export(make_json_span())
    scope = document["resourceSpans"][0]["scopeSpans"][0]["scope"]
    scope["attributes"] = [{"key": "mode", "value": {"stringValue": "fast"}}]
    [span] = _spans(document, origin)
    assert span.resource["otel.scope.attributes"] == {"mode": "fast"}


@pytest.mark.parametrize(
    ("fields", "column", "expected"),
    [
        ({"endTimeUnixNano": "0"}, "end_time_ns", None),
        ({"endTimeUnixNano": "0"}, "duration_ns", None),
        ({"startTimeUnixNano": 0}, "hour", None),
        ({"endTimeUnixNano": "1795999999999999999"}, "duration_ns", None),
        ({"endTimeUnixNano": "1795999999999999999"}, "end_time_ns", 1795999999999999999),
        ({"startTimeUnixNano": "-5"}, "start_time_ns", -5),
        ({"startTimeUnixNano": "99999999999999999999"}, "start_time_ns", None),
        ({"kind": 77}, "otel_kind", 0),
        ({"kind": "SPAN_KIND_NEW"}, "otel_kind", 0),
        ({"status": {"code": 9}}, "status_code", 0),
        ({"flags": "many"}, "flags", None),
        ({"name": None}, "name", ""),
        ({"name": 5}, "name", "5"),
        ({"parentSpanId": ""}, "parent_span_id", None),
        ({"parentSpanId": "xyz"}, "parent_span_id", None),
        ({"droppedLinksCount": 2**40}, "n_dropped", 0),
    ],
)
def test_a_wrong_field_never_costs_the_span(
    export: Make, make_json_span: Make, origin: Origin, fields: Any, column: str, expected: Any
) -> None:
    [span] = _spans(export(make_json_span(**fields)), origin)
    assert getattr(span, column) == expected


@pytest.mark.parametrize(
    ("fields", "is_repaired"),
    [
        ({}, False),
        ({"parentSpanId": "xyz"}, True),
        ({"parentSpanId": "0" * 16}, False),
        ({"startTimeUnixNano": "soon"}, True),
        ({"name": "a\x00b"}, True),
        ({"name": "a backslash u: \\u0000"}, False),
        ({"links": [{"traceId": "short"}]}, True),
    ],
)
def test_a_repair_is_noted_on_the_record(
    export: Make, make_json_span: Make, origin: Origin, fields: Any, is_repaired: bool
) -> None:
    [item] = decode_json(orjson.dumps(export(make_json_span(**fields))), origin)
    assert isinstance(item, Decoded)
    assert item.is_repaired is is_repaired


@pytest.mark.parametrize(
    ("span", "reason"),
    [
        ({"traceId": "abc"}, "trace_id"),
        ({"traceId": 5}, "trace_id"),
        ({"traceId": None}, "trace_id"),
        ({"traceId": "0" * 32}, "trace_id"),
        ({"spanId": "abc"}, "span_id"),
        ({"spanId": ""}, "span_id"),
        ({"attributes": "text"}, "shape"),
        ({"events": {"name": "a"}}, "shape"),
        ({"events": ["a"]}, "shape"),
        ({"links": 5}, "shape"),
        ({"status": "error"}, "shape"),
    ],
)
def test_a_bad_span_is_refused_alone_and_with_its_place(
    export: Make, make_json_span: Make, origin: Origin, span: Any, reason: str
) -> None:
    document = export(make_json_span("a" * 16), make_json_span(**span), make_json_span("b" * 16))
    items = list(decode_json(orjson.dumps(document), origin))
    assert [isinstance(item, Decoded) for item in items] == [True, False, True]
    assert _rejects(document, origin) == [("resource 0, scope 0, span 1", reason)]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (5, "document"),
        ({}, "document"),
        ([{"resourceSpans": []}, "text"], "item 1"),
        ({"resourceSpans": "text"}, "resource 0"),
        ({"resourceSpans": [5]}, "resource 0"),
        ({"resourceSpans": [{"resource": 5}]}, "resource 0"),
        ({"resourceSpans": [{"scopeSpans": {"a": 1}}]}, "resource 0"),
        ({"resourceSpans": [{"scopeSpans": [5]}]}, "resource 0, scope 0"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": "text"}]}]}, "resource 0, scope 0"),
        ({"resourceSpans": [{"scopeSpans": [{"scope": 5, "spans": []}]}]}, "resource 0, scope 0"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": ["a"]}]}]}, "resource 0, scope 0, span 0"),
    ],
)
def test_another_shape_is_refused_at_its_place(document: Any, place: str, origin: Origin) -> None:
    assert _rejects(document, origin) == [(place, "shape")]


@pytest.mark.parametrize(
    "document",
    [{"resourceSpans": None}, {"resourceSpans": []}, {"resourceSpans": [{"scopeSpans": None}]},
     {"resourceSpans": [{"resource": None, "scopeSpans": [{"scope": None, "spans": None}]}]}],
)  # fmt: skip
def test_null_and_empty_lists_hold_nothing(document: Any, origin: Origin) -> None:
    assert list(decode_json(orjson.dumps(document), origin)) == []


def test_traces_and_logs_of_one_document_are_read_and_metrics_counted(
    export: Make, make_json_span: Make, origin: Origin
) -> None:
    log = {
        "timeUnixNano": "0",
        "observedTimeUnixNano": "1796000000000000000",
        "severityNumber": "SEVERITY_NUMBER_WARN2",
        "severityText": "warn",
        "body": {"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "1"}}]}},
        "attributes": [{"key": "event.name", "value": {"stringValue": "gen_ai.choice"}}],
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": "",
    }
    metrics = [{"scopeMetrics": [{"metrics": [{"name": "a"}, {"name": "b"}]}]}, 5]
    document = export(make_json_span()) | {
        "resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}],
        "resourceMetrics": metrics,
    }
    items = list(decode_json(orjson.dumps(document), origin))
    assert items[2] == Ignored("metrics", 3)
    assert isinstance(items[1], Decoded)
    record = items[1].record
    assert isinstance(record, SpanLog)
    assert (record.time_ns, record.hour, record.severity_number) == (None, 498888, 14)
    assert (record.event_name, record.body) == ("gen_ai.choice", {"a": 1})
    assert (record.span_id, record.service_name) == (None, None)


@pytest.mark.parametrize(
    ("severity", "number"),
    [("SEVERITY_NUMBER_TRACE", 1), ("SEVERITY_NUMBER_FATAL4", 24), ("SEVERITY_NUMBER_ODD", None),
     (17, 17), (99, None), ("9", 9), (None, None)],
)  # fmt: skip
def test_a_severity_is_a_number_or_its_name(
    severity: Any, number: int | None, origin: Origin
) -> None:
    log = {"severityNumber": severity, "body": {"stringValue": "hello"}}
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}
    [item] = decode_json(orjson.dumps(document), origin)
    assert isinstance(item, Decoded)
    assert isinstance(item.record, SpanLog)
    assert item.record.severity_number == number


def test_a_noise_row_sent_as_a_log_record_is_a_noise_row_only(origin: Origin) -> None:
    log = {
        "timeUnixNano": "1796000000000000000",
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "eventName": "toolsight.noise",
        "attributes": {"kind": "DROP", "fact_id": "f1", "gate_u": 0.1},
    }
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": [log, {**log, "attributes": {}}]}]}]}
    good, bad = decode_json(orjson.dumps(document), origin)
    assert isinstance(good, Decoded)
    assert isinstance(good.record, NoiseLog)
    assert (good.record.kind, good.record.trace_id) == ("DROP", log["traceId"])
    assert good.record.time_ns == 1796000000000000000
    assert isinstance(bad, Reject)
    assert bad.detail.startswith("kind: missing")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"resourceSpans": [', "truncated"),
        (b'{"resourceSpans": tr', "truncated"),
        (b'{"resourceSpans": "\\u00', "truncated"),
        (b'{"resourceSpans": [}', "json"),
        (b"[" * 100_000, "depth"),
        (b'{"resourceSpans": ' + b"9" * 5_000 + b"}", "json"),
        (b"", "truncated"),
    ],
)
def test_what_is_no_json_is_one_reject(text: bytes, reason: str, origin: Origin) -> None:
    [item] = decode_json(text, origin)
    assert isinstance(item, Reject)
    assert item.reason == reason
    assert item.n_raw_bytes == len(text)


def test_a_value_too_deep_to_store_is_refused_and_shown(origin: Origin) -> None:
    for depth in (120, 400, 900, 1_000):
        text = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": {"a": %s}}]}]}]}'
        deep = text % (b"[" * depth + b"]" * depth)
        [item] = decode_json(deep, origin)
        assert isinstance(item, Reject)
        assert item.reason in {"depth", "trace_id"}


def test_the_refused_bytes_are_bounded_and_readable(origin: Origin) -> None:
    [item] = decode_json(b"\xff\x00{" * 100_000, origin)
    assert isinstance(item, Reject)
    assert item.raw is not None
    assert item.raw.startswith(r"\xff\x00{")
    assert item.n_raw_bytes == 300_000
    assert item.raw.count("{") <= 64 * 1024 // 3 + 1
