"""OTLP protobuf requests, also damaged ones, to records and rejects."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtobufSpan

from ingest import Decoded, Ignored, Item, Origin, Signal, decode_protobuf
from ingest.containers.wire_records import signal_of
from replay_store.records import Reject, Span, SpanLog

TRACE = bytes.fromhex("4bf92f3577b34da6a3ce929d0e0e4736")
START = 1_796_000_000_000_000_000


def _span(index: int, **fields: object) -> ProtobufSpan:
    span = ProtobufSpan(
        trace_id=TRACE,
        span_id=index.to_bytes(8, "big"),
        name=f"MARK{index}",
        start_time_unix_nano=START + index,
        end_time_unix_nano=START + index + 1_000,
        attributes=[KeyValue(key="text", value=AnyValue(string_value=f"value {index}"))],
    )
    span.MergeFrom(ProtobufSpan(**fields))  # type: ignore[arg-type]
    return span


def _request(*groups: Sequence[ProtobufSpan]) -> bytes:
    request = ExportTraceServiceRequest()
    for index, spans in enumerate(groups):
        resource = request.resource_spans.add()
        resource.resource.attributes.add(key="service.name").value.string_value = f"shop {index}"
        scope = resource.scope_spans.add()
        scope.scope.name = "agent"
        scope.spans.extend(spans)
    return request.SerializeToString()


def _origin() -> Origin:
    return Origin(UUID(int=1), "request", START)


def _decode(data: bytes, signal: Signal = Signal.TRACES) -> list[Item]:
    return list(decode_protobuf(data, signal, _origin()))


def _good(items: Sequence[Item]) -> Iterator[Span]:
    for item in items:
        if isinstance(item, Decoded) and isinstance(item.record, Span):
            yield item.record


def _rejects(items: Sequence[Item]) -> list[tuple[str, str]]:
    return [(item.place, item.reason) for item in items if isinstance(item, Reject)]


def _field(number: int, content: bytes) -> bytes:
    length, varint = len(content), bytearray()
    while length >= 0x80:
        varint.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([number << 3 | 2, *varint, length]) + content


GOOD = _request([_span(1), _span(2)], [_span(3)])
WHOLE = {span.span_id: span.record_hash for span in _good(_decode(GOOD))}


def test_spans_of_a_good_request_come_in_order() -> None:
    names = [span.name for span in _good(_decode(GOOD))]
    assert names == ["MARK1", "MARK2", "MARK3"]
    assert len(WHOLE) == 3


BETWEEN_GROUPS = (0, len(_request([_span(1), _span(2)])), len(GOOD))
"""Where a cut leaves a request that is whole by itself."""


@pytest.mark.parametrize("cut", range(len(GOOD) + 1))
def test_a_request_cut_anywhere_keeps_the_whole_spans_and_only_these(cut: int) -> None:
    items = _decode(GOOD[:cut])
    kept = list(_good(items))
    assert all(WHOLE[span.span_id] == span.record_hash for span in kept)
    n_whole = sum(GOOD.find(b"value %d" % n) + len(b"value 1") <= cut for n in (1, 2, 3))
    assert len(kept) == n_whole
    assert len(_rejects(items)) <= 1
    assert bool(_rejects(items)) is (cut not in BETWEEN_GROUPS)


def test_a_cut_names_the_byte_where_its_record_begins() -> None:
    cut = GOOD.find(b"MARK2") + 3
    [(place, reason)] = _rejects(_decode(GOOD[:cut]))
    assert reason == "truncated"
    at = int(place.removeprefix("byte "))
    assert GOOD.find(b"value 1") < at < GOOD.find(b"MARK2")


def test_text_that_is_not_utf8_is_escaped_and_its_neighbours_are_untouched() -> None:
    damaged = GOOD.replace(b"MARK2", b"M\xff\xfe\x002")
    items = _decode(damaged)
    assert [span.name for span in _good(items)] == ["MARK1", r"M\xff\xfe\x002", "MARK3"]
    assert [item.is_repaired for item in items if isinstance(item, Decoded)] == [False, True, False]
    assert next(_good(items)).record_hash == WHOLE["0000000000000001"]


def test_a_resource_that_is_not_utf8_is_escaped_for_all_its_spans() -> None:
    items = _decode(GOOD.replace(b"shop 0", b"shop \xff"))
    assert [span.service_name for span in _good(items)] == [r"shop \xff", r"shop \xff", "shop 1"]
    assert [item.is_repaired for item in items if isinstance(item, Decoded)] == [True, True, False]


def test_a_resource_that_cannot_be_read_costs_none_of_its_spans() -> None:
    at = GOOD.find(b"service.name")
    damaged = GOOD[: at - 1] + b"\x7f" + GOOD[at:]
    spans = list(_good(_decode(damaged)))
    assert [span.name for span in spans] == ["MARK1", "MARK2", "MARK3"]
    assert [span.resource for span in spans][:2] == [{}, {}]


def test_a_damaged_span_is_refused_alone() -> None:
    at = GOOD.find(b"MARK2")
    damaged = GOOD[: at - 1] + b"\x7f" + GOOD[at:]
    items = _decode(damaged)
    assert [span.name for span in _good(items)] == ["MARK1", "MARK3"]
    assert _rejects(items) == [("resource 0, scope 0, span 1", "protobuf")]


def test_a_value_nested_beyond_the_library_is_refused_alone() -> None:
    for n_levels, is_taken in ((20, True), (120, False)):
        value = AnyValue(string_value="core").SerializeToString()
        for _ in range(n_levels):
            value = _field(5, _field(1, value))
        deep = _span(2).SerializeToString() + _field(9, _field(1, b"deep") + _field(2, value))
        scope = _field(2, _span(1).SerializeToString()) + _field(2, deep)
        items = _decode(_field(1, _field(2, scope)))
        names = [span.name for span in _good(items)]
        assert names == (["MARK1", "MARK2"] if is_taken else ["MARK1"])
        refused = [] if is_taken else [("resource 0, scope 0, span 1", "protobuf")]
        assert _rejects(items) == refused


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"trace_id": TRACE[:15]}, "trace_id"),
        ({"trace_id": bytes(16)}, "trace_id"),
        ({"span_id": b"\x01" * 9}, "span_id"),
    ],
)
def test_a_span_with_a_bad_id_is_refused_alone(fields: dict[str, bytes], reason: str) -> None:
    items = _decode(_request([_span(1), _span(2, **fields), _span(3)]))
    assert [span.name for span in _good(items)] == ["MARK1", "MARK3"]
    assert _rejects(items) == [("resource 0, scope 0, span 1", reason)]


def test_a_bad_parent_is_dropped_and_noted() -> None:
    [item] = _decode(_request([_span(1, parent_span_id=b"\x01\x02")]))
    assert isinstance(item, Decoded)
    assert isinstance(item.record, Span)
    assert item.record.parent_span_id is None
    assert item.is_repaired


def test_times_beyond_64_bits_are_none_and_noted() -> None:
    [item] = _decode(_request([_span(1, start_time_unix_nano=2**64 - 1, end_time_unix_nano=5)]))
    assert isinstance(item, Decoded)
    assert isinstance(item.record, Span)
    assert (item.record.start_time_ns, item.record.end_time_ns, item.is_repaired) == (None, 5, True)


def test_logs_are_read_and_metrics_counted() -> None:
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.observed_time_unix_nano = START
    record.severity_number = 9  # type: ignore[assignment]
    record.body.string_value = "hello"
    record.event_name = "gen_ai.choice"
    [item] = _decode(logs.SerializeToString(), Signal.LOGS)
    assert isinstance(item, Decoded)
    assert isinstance(item.record, SpanLog)
    assert (item.record.event_name, item.record.body, item.record.severity_number) == (
        "gen_ai.choice", "hello", 9,
    )  # fmt: skip
    assert item.record.trace_id is None
    metrics = ExportMetricsServiceRequest()
    metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="a", unit="s")
    assert _decode(metrics.SerializeToString(), Signal.METRICS) == [Ignored("metrics", 1)]


def test_the_wire_types_tell_the_signal() -> None:
    logs = ExportLogsServiceRequest()
    logs.resource_logs.add().scope_logs.add().log_records.add().time_unix_nano = START
    metrics = ExportMetricsServiceRequest()
    metric = metrics.resource_metrics.add().scope_metrics.add().metrics.add(name="a", unit="s")
    metric.gauge.data_points.add().as_int = 1
    assert signal_of(GOOD) is Signal.TRACES
    assert signal_of(logs.SerializeToString()) is Signal.LOGS
    assert signal_of(metrics.SerializeToString()) is Signal.METRICS
    assert signal_of(b"some text") is None
    assert signal_of(b"\n\nsome text after blank lines") is None


@settings(max_examples=300)
@given(
    st.binary(max_size=200), st.integers(min_value=0, max_value=len(GOOD)), st.binary(max_size=4)
)
def test_no_bytes_at_all_raise(noise: bytes, at: int, patch: bytes) -> None:
    for data in (noise, b"\x0a" + noise, GOOD[:at] + patch + GOOD[at + len(patch) :]):
        for signal in Signal:
            for item in _decode(data, signal):
                assert isinstance(item, Decoded | Reject | Ignored)
