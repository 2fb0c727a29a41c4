"""What no honest sender sends, against the real server: right status, bounded memory, and it goes on."""

import gzip
import json
import random
import socket
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from replay_store import Database
from tests.bench.agent_traffic import exports
from tests.serving import JSON, PROTOBUF, Server, ask, serving

pytestmark = pytest.mark.slow

START_NS = 1_796_000_000_000_000_000
PEAK_MB = 1_200
"""Of the process, over all that is sent here; at rest it takes about 300."""
BODY_SECONDS = 30
PATIENCE_SECONDS = 180
"""A million attributes take about five seconds of a processor."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all: at the end it has stayed small and every record is accounted for.

    Meanwhile a body trickled in beside all the others, and was given up.
    """
    db = tmp_path_factory.mktemp("hostile") / "store.duckdb"
    with (
        serving(db, TOOLSIGHT_MEMORY_LIMIT="256MB") as server,
        ThreadPoolExecutor(1) as pool,
    ):
        trickled = pool.submit(_trickle, server)
        yield server
        assert trickled.result().startswith(b"HTTP/1.1 408")
        peak = _peak_mb(server)
        server.process.terminate()
        _, stderr = server.process.communicate(timeout=20)
        assert (server.process.returncode, "Traceback" in stderr) == (0, False), stderr[-2000:]
    assert peak < PEAK_MB
    with Database.open(db) as database:
        [counted] = database.rows(
            "select sum(n_received) as received, sum(n_stored + n_merged + n_rejected) as told "
            "from intake_minute"
        )
    assert counted["received"] == counted["told"]


@pytest.fixture(autouse=True)
def _goes_on(server: Server) -> Iterator[None]:
    """After whatever was sent, a good export is taken."""
    yield
    assert server.send(b'{"resourceSpans":[]}', content_type=JSON).status == 200


def _peak_mb(server: Server) -> float:
    text = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(text.split("VmHWM:")[1].split()[0]) / 1024


def _zeros(n_bytes: int) -> bytes:
    """So many zeros, packed, without ever holding them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    part = bytes(1024 * 1024)
    packed = [packer.compress(part) for _ in range(n_bytes // len(part))]
    return b"".join([*packed, packer.flush()])


def test_a_gzip_bomb_is_413_and_never_unpacked(server: Server) -> None:
    bomb = _zeros(512 * 1024**2)
    assert len(bomb) < 1024**2

    assert server.send(bomb, content_encoding="gzip").status == 413
    twice = gzip.compress(bomb)
    assert server.send(twice, content_encoding="gzip").status == 400


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"resourceSpans":['])
def test_a_document_nested_without_end_is_400(server: Server, opening: bytes) -> None:
    assert server.send(opening * 1_000_000, content_type=JSON).status == 400


def test_a_value_nested_deeply_costs_its_span_only(server: Server) -> None:
    deep: dict[str, object] = {"stringValue": "x"}
    for _ in range(5_000):
        deep = {"arrayValue": {"values": [deep]}}
    text = _span(1, "[]").replace("[]", f'[{{"key":"deep","value":{_flat(deep)}}}]')
    answer = server.send(_export(text, _span(2)), content_type=JSON)

    assert answer.status in (200, 400)
    if answer.status == 200:
        assert int(json.loads(answer.body).get("partialSuccess", {}).get("rejectedSpans", 0)) <= 1


def _flat(value: dict[str, object]) -> str:
    """The JSON of a value nested deeper than `json.dumps` goes."""
    n = 0
    while "arrayValue" in value:
        value = value["arrayValue"]["values"][0]  # type: ignore[index]
        n += 1
    return '{"arrayValue":{"values":[' * n + json.dumps(value) + "]}}" * n


def _span(number: int, attributes: str = "[]") -> str:
    return (
        f'{{"traceId":"{number:032x}","spanId":"{number:016x}","name":"s",'
        f'"startTimeUnixNano":"{START_NS}","attributes":{attributes}}}'
    )


def _export(*spans: str) -> bytes:
    return f'{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{",".join(spans)}]}}]}}]}}'.encode()


def test_a_million_attributes_are_kept_and_cost_no_neighbour(server: Server) -> None:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number in (1, 2):
        spans.add(
            trace_id=number.to_bytes(16, "big"),
            span_id=(100 + number).to_bytes(8, "big"),
            name="many",
            start_time_unix_nano=START_NS,
        )
    for number in range(1_000_000):
        spans[0].attributes.add(key=f"k{number}").value.int_value = number
    body = request.SerializeToString()

    answer = ask(
        server.otlp_port, "POST", "/v1/traces", body, {"Content-Type": PROTOBUF}, PATIENCE_SECONDS
    )

    assert (answer.status, answer.body) == (200, b"")


def _trickle(server: Server) -> bytes:
    """Send a byte now and then; what the server says to it."""
    with socket.create_connection(("127.0.0.1", server.otlp_port), timeout=60) as connection:
        head = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {PROTOBUF}\r\n"
        connection.sendall(f"{head}Content-Length: 100000\r\n\r\n".encode())
        started, answer = time.monotonic(), b""
        connection.settimeout(0.5)
        while not answer and time.monotonic() - started < 2 * BODY_SECONDS:
            try:
                answer = connection.recv(100)
            except TimeoutError:
                connection.sendall(b"\x00")

    return answer


GOOD = next(exports(24, seed=3, batch=24, start_ns=START_NS))[0]


@given(
    seed=st.integers(0, 2**32),
    n_patches=st.integers(1, 40),
    cut=st.integers(0, len(GOOD)),
    is_packed=st.booleans(),
)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_damaged_protobuf_is_answered_whatever_the_damage(
    server: Server, seed: int, n_patches: int, cut: int, is_packed: bool
) -> None:
    source = random.Random(seed)  # noqa: S311
    body = bytearray(GOOD[:cut] if seed % 3 == 0 else GOOD)
    for _ in range(n_patches if body else 0):
        body[source.randrange(len(body))] = source.randrange(256)

    data = gzip.compress(bytes(body)) if is_packed else bytes(body)
    headers = {"content_encoding": "gzip"} if is_packed else {}

    assert server.send(data, **headers).status in (200, 400)
