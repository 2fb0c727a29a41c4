"""What requests are answered with, whatever brought them, and that the account always holds."""

import asyncio
import gzip
import json
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from ingest import Redactor, Signal
from ingest.receiver import Answer, Door, Handler, Limits, Request
from replay_store import Database
from replay_store.commit import Committer, Pace

PROTOBUF, JSON = "application/x-protobuf", "application/json"
NOW = 1_796_000_000_000_000_000
LIMITS = Limits(request_bytes=200_000, waiting_bytes=1_000_000)
Send = Callable[..., Answer]


class Receiver:
    """A handler over a store in memory."""

    def __init__(self, database: Database, **more: Any) -> None:
        self.database = database
        self.committer = Committer(database, pace=Pace(gather_seconds=0), clock_ns=lambda: NOW)
        self.handler = Handler(self.committer, limits=more.pop("limits", LIMITS), **more)
        self.committer.start()

    def send(
        self,
        body: bytes,
        signal: Signal = Signal.TRACES,
        content_type: str | None = PROTOBUF,
        content_encoding: str | None = None,
        door: Door = Door.HTTP,
    ) -> Answer:
        request = Request(door, signal, body, NOW, content_type, content_encoding)
        return asyncio.run(self.handler.handle_whole(request))

    def close(self) -> None:
        self.committer.close()
        self.handler.close()

    def account(self) -> dict[str, int]:
        [row] = self.database.rows(
            "select coalesce(sum(n_received), 0)::int as received, "
            "coalesce(sum(n_stored), 0)::int as stored, "
            "coalesce(sum(n_merged), 0)::int as merged, "
            "coalesce(sum(n_rejected), 0)::int as rejected, "
            "coalesce(sum(n_ignored), 0)::int as ignored from intake_minute"
        )
        return row

    def count(self, table: str) -> int:
        return int(self.database.rows(f"select count(*) as n from {table}")[0]["n"])


@pytest.fixture
def receiver(database: Database) -> Iterator[Receiver]:
    opened = Receiver(database)
    yield opened
    opened.close()


def request_of(*span_ids: int, **fields: Any) -> ExportTraceServiceRequest:
    """An export with spans of these ids; 0 makes a span without one."""
    export = ExportTraceServiceRequest()
    group = export.resource_spans.add()
    group.resource.attributes.add(key="service.name").value.string_value = "shop"
    scope = group.scope_spans.add()
    for number in span_ids:
        span = scope.spans.add(
            trace_id=b"t" * 16,
            span_id=number.to_bytes(8, "big") if number else b"",
            name="step",
            start_time_unix_nano=NOW,
            end_time_unix_nano=NOW + 5,
        )
        span.attributes.add(key="note").value.string_value = str(fields.get("note", "x"))
    return export


def json_of(*span_ids: str) -> bytes:
    spans = [{"traceId": "1" * 32, "spanId": span_id, "name": "step"} for span_id in span_ids]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def test_a_small_request_is_answered_while_a_large_one_is_read(receiver: Receiver) -> None:
    read = threading.Event()
    receiver.handler._large_reader.submit(read.wait)
    try:
        answer = receiver.send(request_of(1).SerializeToString())
    finally:
        read.set()
    assert answer.status == 200


@pytest.mark.parametrize(
    ("n_bytes", "content_encoding", "is_large"),
    [
        (4 * 1024**2 - 1, None, False),
        (4 * 1024**2, None, True),
        (4 * 1024**2, "identity", True),
        (1024**2 - 1, "gzip", False),
        (1024**2, "gzip", True),
    ],
)
def test_a_packed_request_is_large_sooner(
    n_bytes: int, content_encoding: str | None, is_large: bool
) -> None:
    body = bytes(n_bytes)
    request = Request(Door.HTTP, Signal.TRACES, body, NOW, PROTOBUF, content_encoding)
    assert request.is_large is is_large


@pytest.mark.parametrize(
    "content_type",
    [
        PROTOBUF,
        "application/x-protobuf; charset=utf-8",
        "Application/X-Protobuf",
        "application/protobuf",
    ],
)
def test_protobuf_is_answered_in_protobuf(receiver: Receiver, content_type: str) -> None:
    answer = receiver.send(request_of(1).SerializeToString(), content_type=content_type)

    assert (answer.status, answer.encoding) == (200, PROTOBUF)
    assert not ExportTraceServiceResponse.FromString(answer.body).HasField("partial_success")
    assert receiver.count("span") == 1


@pytest.mark.parametrize("content_type", [JSON, 'application/json;charset="UTF-8"'])
def test_json_is_answered_in_json(receiver: Receiver, content_type: str) -> None:
    answer = receiver.send(json_of("1" * 16), content_type=content_type)

    assert (answer.status, answer.encoding, answer.body) == (200, JSON, b"{}")
    assert receiver.count("span") == 1


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("identity", bytes),
        ("", bytes),
        (None, bytes),
    ],
)
def test_a_packed_body_is_unpacked(
    receiver: Receiver, encoding: str | None, pack: Callable[[bytes], bytes]
) -> None:
    body = pack(request_of(1).SerializeToString())

    assert receiver.send(body, content_encoding=encoding).status == 200
    assert receiver.count("span") == 1


@pytest.mark.parametrize(
    ("kind", "encoding", "status", "reason", "said"),
    [
        ("text/plain", None, 415, "media_type", "application/x-protobuf or application/json"),
        ("", None, 415, "media_type", "http/protobuf"),
        ("application/json; charset=gb18030", None, 415, "media_type", "UTF-8"),
        (PROTOBUF, "zstd", 415, "media_type", "gzip"),
        (PROTOBUF, "gzip", 400, "packing", "damaged"),
        (JSON, None, 400, "json", "not JSON"),
        (PROTOBUF, None, 400, "protobuf", "no protobuf"),
    ],
)
def test_what_cannot_be_read_is_refused_named_and_noted(
    receiver: Receiver, kind: str, encoding: str | None, status: int, reason: str, said: str
) -> None:
    answer = receiver.send(b"?? nothing", content_type=kind, content_encoding=encoding)

    assert answer.status == status
    assert said in answer.detail
    [reject] = receiver.database.rows("select reason, path, raw from reject")
    assert reject == {"reason": reason, "path": "otlp-http", "raw": "?? nothing"}
    assert receiver.account() == {
        "received": 1, "stored": 0, "merged": 0, "rejected": 1, "ignored": 0,
    }  # fmt: skip


def test_a_refusal_carries_a_status_message_in_the_form_of_the_request(receiver: Receiver) -> None:
    in_json = receiver.send(b"[", content_type=JSON)
    in_protobuf = receiver.send(b"\xff\xff")

    assert orjson.loads(in_json.body) == {"code": 3, "message": in_json.detail}
    assert in_protobuf.encoding == PROTOBUF
    assert in_protobuf.body.startswith(b"\x08\x03\x12")
    assert in_protobuf.body.endswith(in_protobuf.detail.encode())


@pytest.mark.parametrize("n_bad", [1, 3])
def test_good_spans_stay_good_beside_bad_ones(receiver: Receiver, n_bad: int) -> None:
    answer = receiver.send(request_of(1, *[0] * n_bad, 2).SerializeToString())

    partial = ExportTraceServiceResponse.FromString(answer.body).partial_success
    assert (answer.status, partial.rejected_spans) == (200, n_bad)
    assert partial.error_message.startswith("resource 0, scope 0, span 1: span_id: missing")
    assert receiver.count("span") == 2
    assert receiver.account()["received"] == 2 + n_bad


def test_partial_success_in_json_counts_as_text(receiver: Receiver) -> None:
    answer = receiver.send(json_of("1" * 16, "nonsense"), content_type=JSON)

    partial = orjson.loads(answer.body)["partialSuccess"]
    assert (answer.status, partial["rejectedSpans"]) == (200, "1")
    assert "spanId" in partial["errorMessage"]


@pytest.mark.parametrize(
    ("body", "content_type"), [(b"", PROTOBUF), (b"{}", JSON), (b'{"resourceSpans":[]}', JSON)]
)
def test_an_export_of_nothing_is_fine(receiver: Receiver, body: bytes, content_type: str) -> None:
    assert receiver.send(body, content_type=content_type).status == 200
    assert receiver.account()["received"] == 0


def test_the_same_spans_again_are_merged(receiver: Receiver) -> None:
    for export in (request_of(1, 2), request_of(2, 3), request_of(1, 2)):
        assert receiver.send(export.SerializeToString()).status == 200

    assert receiver.count("span") == 3
    assert receiver.account() == {
        "received": 6, "stored": 3, "merged": 3, "rejected": 0, "ignored": 0,
    }  # fmt: skip


def logs_of(**attributes: str) -> ExportLogsServiceRequest:
    export = ExportLogsServiceRequest()
    log = (
        export.resource_logs.add()
        .scope_logs.add()
        .log_records.add(trace_id=b"t" * 16, span_id=b"s" * 8, time_unix_nano=NOW)
    )
    log.event_name = attributes.pop("event_name", "gen_ai.choice")
    log.body.string_value = "hello"
    for key, value in attributes.items():
        log.attributes.add(key=key).value.string_value = value
    return export


def test_logs_are_kept_with_their_span_and_noise_by_its_name(receiver: Receiver) -> None:
    plain, noise = logs_of(), logs_of(event_name="toolsight.noise", kind="DROP")
    for export in (plain, noise):
        answer = receiver.send(export.SerializeToString(), Signal.LOGS)
        assert answer.status == 200
        assert not ExportLogsServiceResponse.FromString(answer.body).HasField("partial_success")

    assert receiver.database.rows("select event_name, hex_span(span_id) as span from span_log") == [
        {"event_name": "gen_ai.choice", "span": b"s".hex() * 8}
    ]
    assert receiver.database.rows("select kind from noise_log") == [{"kind": "DROP"}]


@pytest.mark.parametrize(
    ("body", "content_type", "to", "sent"),
    [
        (logs_of().SerializeToString(), PROTOBUF, Signal.TRACES, "logs"),
        (b'{"resourceLogs":[]}', JSON, Signal.TRACES, "logs"),
        (b'{"resourceSpans":[{}]}', JSON, Signal.LOGS, "traces"),
        (b'{"resource_metrics":[{}]}', JSON, Signal.TRACES, "metrics"),
    ],
)
def test_what_is_sent_to_the_wrong_address_is_told_the_right_one(
    receiver: Receiver, body: bytes, content_type: str, to: Signal, sent: str
) -> None:
    answer = receiver.send(body, to, content_type)

    assert answer.status == 400
    assert f"these are {sent}, sent to /v1/{to}" in answer.detail
    assert f"/v1/{sent}" in answer.detail.rpartition("send them to ")[2]


def test_metrics_are_taken_counted_and_left_out(receiver: Receiver) -> None:
    export = ExportMetricsServiceRequest()
    for name in ("a", "b"):
        export.resource_metrics.add().scope_metrics.add().metrics.add(name=name).gauge.SetInParent()

    answer = receiver.send(export.SerializeToString(), Signal.METRICS)

    assert answer.status == 200
    assert not ExportMetricsServiceResponse.FromString(answer.body).HasField("partial_success")
    assert receiver.account() == {
        "received": 0, "stored": 0, "merged": 0, "rejected": 0, "ignored": 2,
    }  # fmt: skip


@pytest.mark.parametrize("encoding", ["gzip", None])
def test_a_body_that_unpacks_to_too_much_is_never_unpacked(
    receiver: Receiver, encoding: str | None
) -> None:
    bomb = gzip.compress(b"\x00" * 50_000_000) if encoding else b"\x00" * 200_001
    assert len(bomb) < 200_002

    answer = receiver.send(bomb, content_encoding=encoding)

    if encoding:
        assert (answer.status, answer.grpc_code) == (413, 3)
        assert "200000 bytes" in answer.detail
    assert receiver.handler.admission.n_bytes == 0


def test_invalid_text_costs_neither_its_span_nor_a_sibling(receiver: Receiver) -> None:
    body = (
        request_of(1, 2, note="MARK").SerializeToString().replace(b"MARK", b"\xff\x00\xfe\xfd", 1)
    )

    assert receiver.send(body).status == 200
    assert receiver.count("span") == 2


def test_deep_nesting_is_refused_where_it_is(receiver: Receiver) -> None:
    deep = b'{"resourceSpans":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    answer = receiver.send(deep, content_type=JSON)
    assert answer.status == 400
    assert "nests too deep" in answer.detail

    value = request_of(1)
    inner = value.resource_spans[0].scope_spans[0].spans[0].attributes[0].value
    for _ in range(40):
        inner = inner.array_value.values.add()
    assert receiver.send(value.SerializeToString()).status == 200


@pytest.mark.slow
def test_a_span_of_very_many_attributes_is_kept(database: Database) -> None:
    opened = Receiver(database, limits=Limits())
    export = request_of(1)
    span = export.resource_spans[0].scope_spans[0].spans[0]
    for number in range(300_000):
        span.attributes.add(key=f"k{number}").value.int_value = number

    try:
        assert opened.send(export.SerializeToString()).status == 200
        assert opened.count("span") == 1
    finally:
        opened.close()


def test_values_that_must_not_be_kept_are_counted(database: Database) -> None:
    opened = Receiver(database, redactor=Redactor())
    try:
        opened.send(request_of(1, 2, note="call 13800138000").SerializeToString())
    finally:
        opened.close()

    assert database.rows("select sum(n_redacted)::int as n from intake_minute") == [{"n": 2}]
    assert "13800138000" not in str(database.rows("select * from span"))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_bytes_are_answered_and_accounted_for(receiver: Receiver, data: st.DataObject) -> None:
    """Random bytes, and good exports with bytes changed, cut or doubled."""
    good = request_of(1, 2, 3).SerializeToString()
    at = data.draw(st.integers(0, len(good)))
    body = data.draw(
        st.one_of(
            st.binary(max_size=200),
            st.binary(max_size=8).map(lambda noise: good[:at] + noise + good[at + len(noise) :]),
            st.just(good[:at]),
            st.just(good + good[:at]),
        )
    )
    signal = data.draw(st.sampled_from(list(Signal)))
    kind = data.draw(st.sampled_from([PROTOBUF, JSON]))

    answer = receiver.send(body, signal, kind)

    assert answer.status in (200, 400)
    account = receiver.account()
    assert account["received"] == account["stored"] + account["merged"] + account["rejected"]
    assert account["stored"] == sum(map(receiver.count, ("span", "span_log", "noise_log")))
    assert account["rejected"] == receiver.count("reject")


def test_over_grpc_it_is_protobuf_and_the_code_is_grpcs(receiver: Receiver) -> None:
    good = receiver.send(request_of(1).SerializeToString(), content_type=None, door=Door.GRPC)
    bad = receiver.send(b"\xff\xff", content_type=None, door=Door.GRPC)

    assert (good.grpc_code, bad.grpc_code) == (0, 3)
    assert receiver.database.rows("select distinct door from intake_minute") == [
        {"door": "otlp-grpc"}
    ]
