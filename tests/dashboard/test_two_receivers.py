"""Two receivers behind the Collector's load-balancing exporter hold together what one would hold alone.

The exporter is simulated by its own rule, with the configuration that the README gives; the receivers
are real servers, which take OTLP over gRPC with a token, as that configuration sends it.
"""

import base64
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

import sample_traces
from metrics import Scope, report
from replay_store import Database, derive
from tests.load_balancing import Ring
from tests.serving import ROOT, Server, serving

TOKEN = "let-me-in-0123456789"  # noqa: S105 - of these servers only
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
EVERY = 12
"""Of the sample traces one in so many is sent."""
TOGETHER = 25
"""Traces of which one request of an agent tells."""
Send = dict[str, ExportTraceServiceRequest]


def configuration() -> dict[str, Any]:
    """The Collector's configuration that the README gives."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)]
    [read] = [it for it in blocks if "loadbalancing" in it.get("exporters", {}) and "service" in it]
    found: dict[str, Any] = read
    return found


@pytest.mark.parametrize(
    ("endpoints", "expected"),
    [
        (["endpoint-1"], {1401: 1, 4175: 1, 14133: 1, 17836: 1, 21667: 1}),
        (
            ["endpoint-1", "endpoint-2"],
            {
                1401: 1, 4175: 1, 10240: 2, 14133: 1, 15002: 2,
                17836: 1, 21263: 2, 21667: 1, 26806: 2, 27020: 2,
            },
        ),
        (["endpoint-1", "endpoint-1"], {1401: 1, 4175: 1, 14133: 1, 17836: 1, 21667: 1}),
    ],
)  # fmt: skip
def test_the_ring_is_that_of_the_exporter(
    endpoints: Sequence[str], expected: Mapping[int, int]
) -> None:
    """The table of its own test, `TestPositionsForEndpoints`."""
    ring = Ring(endpoints, points=5)

    assert ring.items == [(at, f"endpoint-{number}") for at, number in expected.items()]


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        (bytes([1, 2, 0, 0]), "endpoint-1"),
        (bytes([128, 128, 0, 0]), "endpoint-2"),
        (b"ad-service-7", "endpoint-1"),
        (b"get-recommendations-1", "endpoint-2"),
    ],
)
def test_an_identifier_goes_where_the_exporter_sends_it(identifier: bytes, expected: str) -> None:
    """The table of its own test, `TestEndpointFor`."""
    assert Ring(["endpoint-1", "endpoint-2"]).endpoint(identifier) == expected


def test_the_readmes_configuration_routes_by_trace_with_a_token() -> None:
    read = configuration()
    balanced = read["exporters"]["loadbalancing"]

    assert balanced["routing_key"] == "traceID"
    assert len(balanced["resolver"]["static"]["hostnames"]) == 2
    assert set(balanced["protocol"]) == {"otlp"}
    assert balanced["protocol"]["otlp"]["headers"] == {
        "authorization": "Bearer ${env:TOOLSIGHT_TOKEN}"
    }
    for pipeline in read["service"]["pipelines"].values():
        assert pipeline["exporters"] == ["loadbalancing"]
        assert all(name in read["processors"] for name in pipeline["processors"])
        assert all(name in read["receivers"] for name in pipeline["receivers"])


@pytest.mark.slow
def test_two_receivers_hold_together_what_one_holds_alone(tmp_path: Path) -> None:
    endpoints = configuration()["exporters"]["loadbalancing"]["resolver"]["static"]["hostnames"]
    ring = Ring(endpoints)
    stores = {name: tmp_path / f"{number}.duckdb" for number, name in enumerate(endpoints)}
    alone = tmp_path / "alone.duckdb"
    gone: dict[str, set[str]] = {}
    with ExitStack() as servers:
        receivers = {
            name: servers.enter_context(serving(path, TOOLSIGHT_TOKEN=TOKEN))
            for name, path in stores.items()
        }
        one = servers.enter_context(serving(alone, TOOLSIGHT_TOKEN=TOKEN))
        for request in requests():
            _export(one, request)
            for name, part in balanced(ring, request).items():
                _export(receivers[name], part)
                for trace_id in trace_ids(part):
                    gone.setdefault(trace_id, set()).add(name)

    assert all(len(names) == 1 for names in gone.values())
    shares = Counter(next(iter(names)) for names in gone.values())
    assert set(shares) == set(endpoints)
    parts = {name: totals(path) for name, path in stores.items()}
    for name, held in parts.items():
        assert held["trace"] == shares[name]
    assert _sum(parts.values()) == totals(alone)


def requests() -> Iterator[ExportTraceServiceRequest]:
    """What agents export: some traces at a time, each of them in two requests."""
    path = next(it for it in sample_traces.paths() if it.name == sample_traces.TRACES_FILE)
    lines = gzip.decompress(path.read_bytes()).splitlines()[::EVERY]
    for start in range(0, len(lines), TOGETHER):
        whole = ExportTraceServiceRequest()
        for line in lines[start : start + TOGETHER]:
            whole.MergeFrom(_request(json.loads(line)))
        for half in (0, 1):
            yield _kept(whole, lambda number, _, half=half: number % 2 == half)


def balanced(ring: Ring, request: ExportTraceServiceRequest) -> Send:
    """What the exporter makes of one request: a request for each receiver that has a part in it."""
    names = {ring.endpoint(bytes.fromhex(trace_id)) for trace_id in trace_ids(request)}
    return {
        name: _kept(request, lambda _, trace_id, name=name: ring.endpoint(trace_id) == name)
        for name in names
    }


def trace_ids(request: ExportTraceServiceRequest) -> set[str]:
    return {
        span.trace_id.hex()
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }


def totals(path: Path) -> dict[str, float]:
    """Rows, and what figures count: numbers that add up over stores."""
    with Database.open(path) as database:
        derive(database)
        tables = ("span", "trace", "tool_call", "attempt", "decision", "guard_evaluation", "fact")
        found = {
            table: database.rows(f"select count(*) as n from {table}")[0]["n"] for table in tables
        }
        [spent] = database.rows("select sum(duration_ns)::bigint as total_ns from tool_call")
        found |= spent
        for key, metric in report(database, Scope(0, 1 << 62)).metrics().items():
            found[f"{key}.n"] = metric.n
            if "p95" in key:  # its numerator is of the cases above it, which do not add up
                continue
            found[f"{key}.numerator"] = metric.numerator or 0
            found[f"{key}.denominator"] = metric.denominator or 0
    return {name: round(value, 6) for name, value in found.items()}


def _sum(parts: Any) -> dict[str, float]:
    found: Counter[str] = Counter()
    for part in parts:
        for name, value in part.items():
            found[name] += value
    return {name: round(value, 6) for name, value in found.items()}


def _export(server: Server, request: ExportTraceServiceRequest) -> None:
    grpc = pytest.importorskip("grpc")
    with grpc.insecure_channel(f"127.0.0.1:{server.owner['grpc_port']}") as channel:
        export = channel.unary_unary(
            EXPORT,
            request_serializer=ExportTraceServiceRequest.SerializeToString,
            response_deserializer=ExportTraceServiceResponse.FromString,
        )
        answer = export(request, metadata=[("authorization", f"Bearer {TOKEN}")], timeout=60)
    assert not answer.partial_success.rejected_spans


def _kept(request: ExportTraceServiceRequest, is_kept: Any) -> ExportTraceServiceRequest:
    """The request with some of its spans, told by their number and trace id."""
    kept = ExportTraceServiceRequest()
    kept.CopyFrom(request)
    number = 0
    for resource in kept.resource_spans:
        for scope in resource.scope_spans:
            spans = list(scope.spans)
            del scope.spans[:]
            for span in spans:
                if is_kept(number, span.trace_id):
                    scope.spans.append(span)
                number += 1
    return kept


def _request(line: dict[str, Any]) -> ExportTraceServiceRequest:
    """A line of OTLP JSON, whose ids are hexadecimal where protobuf's JSON has base64."""
    for resource in line["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for told in (span, *span.get("links", ())):
                    for name in {"traceId", "spanId", "parentSpanId"} & told.keys():
                        told[name] = base64.b64encode(bytes.fromhex(told[name])).decode()
    return ParseDict(line, ExportTraceServiceRequest())
