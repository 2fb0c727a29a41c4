"""Streams of lines and of messages: places, limits, cuts."""

import io
import json
from collections.abc import Iterable
from uuid import UUID

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ingest import Container, Decoded, Item, Origin
from ingest.containers.framing import read_bare, read_prefixed
from ingest.containers.json_lines import read_document, read_lines
from ingest.source import Source
from replay_store.records import Reject


def _message(index: int, name: str = "chat") -> bytes:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id, span.name = b"\x01" * 16, bytes([index]) * 8, name
    span.start_time_unix_nano = 7
    return request.SerializeToString()


def _line(index: int, name: str = "chat") -> bytes:
    span = {"traceId": "01" * 16, "spanId": f"{index:016x}", "name": name}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()


def _prefixed(*messages: bytes) -> bytes:
    return b"".join(len(data).to_bytes(4, "big") + data for data in messages)


def _source(data: bytes) -> Source:
    return Source(io.BytesIO(data))


def _origin() -> Origin:
    return Origin(UUID(int=1), "stream", 7)


def _told(items: Iterable[Item]) -> list[tuple[str, str] | str]:
    """Names of the good ones, place and reason of the others."""
    told: list[tuple[str, str] | str] = []
    for item in items:
        if isinstance(item, Reject):
            told.append((item.place, item.reason))
        elif isinstance(item, Decoded):
            told.append(getattr(item.record, "name", "?"))
    return told


def test_a_message_beyond_the_limit_is_passed_over() -> None:
    messages = (_message(1, "a"), _message(2, "b" * 500), _message(3, "c"))
    prefixed = read_prefixed(_source(_prefixed(*messages)), _origin(), max_bytes=200)
    assert _told(prefixed) == ["a", ("message 1", "too_large"), "c"]
    bare = read_bare(_source(b"".join(messages)), _origin(), max_bytes=200)
    assert _told(bare) == ["a", ("resource 1", "too_large"), "c"]


def test_a_cut_prefix_is_one_reject_and_an_empty_message_is_none() -> None:
    data = _prefixed(_message(1), b"", _message(2)) + b"\x00\x00"
    items = read_prefixed(_source(data), _origin())
    assert _told(items) == ["chat", "chat", ("message 3", "truncated")]


def test_a_message_that_lacks_whole_groups_at_its_end_is_cut() -> None:
    message = _message(1) + _message(2)
    data = _prefixed(message)[: -len(_message(2))]
    [good, cut] = _told(read_prefixed(_source(data), _origin()))
    assert good == "chat"
    assert cut == (f"message 0, byte {len(data)}", "truncated")


def test_bytes_after_a_bare_request_are_one_reject() -> None:
    good = _message(1)
    for rest, reason in (
        (b"\x12\x00", "protobuf"),
        (b"\x0a", "truncated"),
        (b"\x0a\xff", "truncated"),
    ):
        items = read_bare(_source(good + rest), _origin())
        assert _told(items) == ["chat", (f"byte {len(good)}", reason)]


def test_a_line_beyond_the_limit_is_passed_over_but_the_first_may_be_longer() -> None:
    limit = 400
    data = b"\n".join((_line(1, "a" * 900), _line(2, "b" * 900), _line(3, "c"), b"", _line(4, "d")))
    lines = read_lines(_source(data), Container.OTLP_JSON_LINES, _origin(), max_bytes=limit)
    assert _told(lines) == ["a" * 900, ("line 2", "too_large"), "c", "d"]
    data = _line(1, "a" * 2_000) + b"\n" + _line(2, "b")
    lines = read_lines(_source(data), Container.OTLP_JSON_LINES, _origin(), max_bytes=limit)
    assert _told(lines) == [("line 1", "too_large"), "b"]


def test_a_document_beyond_the_limit_is_one_reject() -> None:
    document = read_document(_source(_line(1)), _origin(), max_bytes=50)
    assert _told(document) == [("document", "too_large")]
    assert _told(read_document(_source(_line(1)), _origin())) == ["chat"]


def test_a_document_cut_anywhere_keeps_only_whole_spans() -> None:
    spans = [
        {
            "traceId": "01" * 16,
            "spanId": f"{n:016x}",
            "name": f'{n} "{{[\\',
            "events": [{"name": "}]"}],
        }
        for n in (1, 2, 3)
    ]
    groups = [{"scopeSpans": [{"spans": spans[:2]}]}, {"scopeSpans": [{"spans": spans[2:]}]}]
    text = json.dumps({"resourceSpans": groups}).encode()
    ends = [text.find(f"{n:016x}".encode()) for n in (2, 3)]
    names = [span["name"] for span in spans]
    for cut in range(1, len(text)):
        told = _told(read_document(_source(text[:cut]), _origin()))
        kept = [entry for entry in told if isinstance(entry, str)]
        assert kept == names[: len(kept)]
        assert len(kept) >= sum(cut > end for end in ends) or cut < ends[0]
        assert len(told) == len(kept) + 1
