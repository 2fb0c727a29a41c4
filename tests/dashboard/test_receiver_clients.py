"""Real OpenTelemetry exporters and raw sockets against the real server."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from replay_store.database import Database
from tests.serving import JSON, Server, ask, seconds_here, serving, toolsight

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

pytestmark = pytest.mark.slow

NODE_SCRIPT = Path(__file__).with_name("node_exporter.cjs")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    db = tmp_path_factory.mktemp("clients") / "store.duckdb"
    with serving(db, is_measured=True) as server:
        yield server


def _http(server: Server, *, is_packed: bool) -> "SpanExporter":
    exporter = pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    compression = exporter.Compression.Gzip if is_packed else exporter.Compression.NoCompression
    url = f"http://localhost:{server.otlp_port}/v1/traces"
    made: SpanExporter = exporter.OTLPSpanExporter(endpoint=url, compression=compression)
    return made


def _grpc(server: Server, *, is_packed: bool) -> "SpanExporter":
    grpc = pytest.importorskip("grpc")
    exporter = pytest.importorskip("opentelemetry.exporter.otlp.proto.grpc.trace_exporter")
    made: SpanExporter = exporter.OTLPSpanExporter(
        endpoint=f"http://localhost:{server.owner['grpc_port']}",
        insecure=True,
        compression=grpc.Compression.Gzip if is_packed else grpc.Compression.NoCompression,
    )
    return made


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("make", [_http, _grpc], ids=["http", "grpc"])
def test_a_python_sdk_sends_and_its_spans_are_there(
    server: Server, make: Callable[..., "SpanExporter"], is_packed: bool
) -> None:
    exporter = make(server, is_packed=is_packed)
    service = f"{make.__name__}-{is_packed}"
    provider = TracerProvider(resource=Resource({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    with tracer.start_as_current_span("invoke_agent"):
        for number in range(30):
            with tracer.start_as_current_span("execute_tool", attributes={"n": number, "中": "文"}):
                pass

    assert provider.force_flush()
    provider.shutdown()
    text = ask(server.port, "GET", "/metrics").body.decode()
    assert 'toolsight_received_records_total{door="otlp-' in text
    assert _n_of_service(server, service) == 31


@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("kind", ["proto", "http", "grpc"])
def test_a_node_sdk_sends_and_its_spans_are_there(
    server: Server, kind: str, compression: str
) -> None:
    """Runs where Node finds OpenTelemetry's packages, globally or by NODE_PATH."""
    environment = _node_environment(kind)
    port = server.owner["grpc_port"] if kind == "grpc" else server.otlp_port
    path = "" if kind == "grpc" else "/v1/traces"
    service = f"node-{kind}-{compression}"

    done = subprocess.run(
        ["node", str(NODE_SCRIPT), kind, f"http://localhost:{port}{path}", service, compression],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert _n_of_service(server, service) == 30


def _node_environment(kind: str) -> dict[str, str]:
    """Where Node looks for its packages; skips the test where it does not find them."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        pytest.skip("no Node here")
    environment = dict(os.environ)
    if "NODE_PATH" not in environment and npm is not None:
        found = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False)
        environment["NODE_PATH"] = found.stdout.strip()
    names = ("sdk-trace-base", "resources", f"exporter-trace-otlp-{kind}")
    required = ";".join(f"require('@opentelemetry/{name}')" for name in names)
    asked = subprocess.run(
        [node, "-e", required], env=environment, capture_output=True, check=False
    )
    if asked.returncode:
        pytest.skip("Node finds no @opentelemetry packages; install them or set NODE_PATH")
    return environment


def _n_of_service(server: Server, service: str) -> int:
    """Through the server: the store is its own."""
    asked = toolsight("intake", "--json", "--db", str(server.db), cwd=server.db.parent)
    stdout, stderr = asked.communicate(timeout=60)
    assert asked.returncode == 0, stderr
    minutes = json.loads(stdout)["minutes"]
    return sum(row["n_stored"] for row in minutes if row["source"] == service)


def test_one_connection_serves_many_requests(server: Server) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.otlp_port, timeout=20)) as kept:
        for _ in range(5):
            kept.request("POST", "/v1/traces", b'{"resourceSpans":[]}', {"Content-Type": JSON})
            answer = kept.getresponse()
            assert (answer.status, answer.read()) == (200, b"{}")
            assert kept.sock is not None


def test_slow_and_silent_connections_do_not_keep_others_out(server: Server) -> None:
    address = ("127.0.0.1", server.otlp_port)
    silent = [socket.create_connection(address, timeout=30) for _ in range(50)]
    try:
        for connection in silent:
            connection.sendall(b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n")

        assert server.send(b'{"resourceSpans":[]}', content_type=JSON).status == 200
        started = time.monotonic()
        silent[0].settimeout(25)
        assert silent[0].recv(10) == b""
        assert time.monotonic() - started < seconds_here(20)
    finally:
        for connection in silent:
            connection.close()


def test_a_hundred_megabytes_are_refused_and_the_service_goes_on(server: Server) -> None:
    answer = ask(
        server.otlp_port,
        "POST",
        "/v1/traces",
        b"\x00" * 100_000_000,
        {"Content-Type": "application/x-protobuf"},
    )

    assert answer.status == 413
    assert server.send(b'{"resourceSpans":[]}', content_type=JSON).status == 200


def test_what_no_server_reads_is_400(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.otlp_port), timeout=10) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00nothing like http\r\n\r\n")

        assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_what_was_sent_is_there_after_the_end(server: Server) -> None:
    server.process.terminate()
    assert server.process.wait(10) == 0

    with Database.open(server.db) as database:
        [row] = database.rows("select count(*) as n from span where name = 'execute_tool'")
    assert row["n"] == 4 * 30
