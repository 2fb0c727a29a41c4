"""The real server process: what it answers, who it refuses, and how it ends."""

import gzip
import json
import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from replay_store.database import Database
from tests.serving import START_SECONDS, STOP_SECONDS, Server, ask, seconds_here, serving, toolsight

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    db = tmp_path_factory.mktemp("server") / "store.duckdb"
    with serving(db, is_measured=True) as server:
        yield server


def test_health_is_json_and_says_that_nothing_loads(server: Server) -> None:
    answer = server.get("/healthz")

    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body) == {"status": "ok", "loading": None}


def test_the_dictionary_in_force_is_served_to_agents(server: Server) -> None:
    answer = server.get("/rules/default/pointer.json")

    assert (answer.status, json.loads(answer.body)) == (200, {"version": "v0"})


@pytest.mark.parametrize("path", ["/", "/healthz", "/_stcore/health", "/nowhere"])
def test_every_route_carries_the_security_headers(server: Server, path: str) -> None:
    answer = server.get(path)

    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"


def test_scripts_come_compressed_or_as_they_are_or_in_part(server: Server) -> None:
    page = server.get("/trace").body.decode()
    (path,) = re.findall(r'src="\.(/static/js/index\.[^"]+)"', page)
    asked = [{}, {"Accept-Encoding": "gzip"}, {"Range": "bytes=0-9", "Accept-Encoding": "gzip"}]
    plain, packed, part = (ask(server.port, "GET", path, headers=each) for each in asked)

    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
    assert packed.headers["cache-control"] == plain.headers["cache-control"]
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert "default-src 'self'" in packed.headers["content-security-policy"]
    assert (part.status, part.body) == (206, plain.body[:10])


@pytest.mark.parametrize(
    "path",
    ["/", "/healthz", "/_stcore/health", "/_stcore/stream", "/rules/default/pointer.json"],
)
def test_a_foreign_host_gets_nothing(server: Server, path: str) -> None:
    assert server.get(path, host="evil.test").status == 421


def test_a_websocket_of_a_foreign_page_is_refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        lines = (
            "GET /_stcore/stream HTTP/1.1",
            f"Host: localhost:{server.port}",
            "Origin: http://evil.test",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "",
            "",
        )
        connection.sendall("\r\n".join(lines).encode())

        assert connection.recv(4096).startswith(b"HTTP/1.1 403")


def test_a_second_server_is_told_who_owns_the_store(server: Server) -> None:
    ports = ("--port", "0", "--otlp-port", "0", "--grpc-port", "0")
    second = toolsight("serve", "--db", str(server.db), *ports, cwd=server.db.parent)
    _, stderr = second.communicate(timeout=START_SECONDS)

    assert second.returncode == 1
    assert f"the store is in use by process {server.process.pid}" in stderr
    assert "Traceback" not in stderr


def test_a_taken_port_is_named(server: Server, tmp_path: Path) -> None:
    second = toolsight(
        "serve", "--db", str(tmp_path / "x"), "--port", str(server.port), cwd=tmp_path
    )
    _, stderr = second.communicate(timeout=START_SECONDS)

    assert second.returncode == 1
    assert f"--port {server.port}" in stderr
    assert "Traceback" not in stderr
    assert not (tmp_path / "x").exists()


def test_an_address_that_others_reach_is_refused(tmp_path: Path) -> None:
    refused = toolsight("serve", "--db", str(tmp_path / "x"), "--host", "0.0.0.0", cwd=tmp_path)  # noqa: S104
    _, stderr = refused.communicate(timeout=START_SECONDS)

    assert refused.returncode == 1
    assert "--host 0.0.0.0" in stderr
    assert "TOOLSIGHT_TOKEN" in stderr


def test_sigterm_ends_it_well_and_leaves_nothing_to_replay(tmp_path: Path) -> None:
    with serving(tmp_path / "store.duckdb") as server:
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        stdout, stderr = server.process.communicate(timeout=STOP_SECONDS * 4)
        seconds = time.monotonic() - started

    assert server.process.returncode == 0, stderr
    assert seconds < seconds_here(STOP_SECONDS)
    assert f"http://127.0.0.1:{server.port}" in stdout
    assert stderr == ""
    assert not server.db.with_name("store.duckdb.wal").exists()


def test_the_start_page_answers_to_its_name_too(server: Server) -> None:
    answer = server.get("/overview?range=24h&lang=zh")

    assert (answer.status, answer.headers["location"]) == (307, "/?range=24h&lang=zh")


def test_a_foreign_module_in_the_current_folder_shadows_nothing(tmp_path: Path) -> None:
    (tmp_path / "metrics.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")
    (tmp_path / "duckdb.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")

    with serving(tmp_path / "store.duckdb") as server:
        assert server.get("/healthz").status == 200


def test_a_killed_server_leaves_a_store_that_opens_again(tmp_path: Path) -> None:
    with serving(tmp_path / "store.duckdb") as server:
        server.process.kill()
        server.process.wait()

    with Database.open(server.db) as database:
        assert database.rows("select count(*) as n from span") == [{"n": 0}]


def test_a_demo_stopped_while_it_loads_ends_well_and_takes_its_store_along(tmp_path: Path) -> None:
    demo = toolsight("demo", "--no-browser", "--port", "0", cwd=tmp_path, TMPDIR=str(tmp_path))
    assert demo.stdout is not None
    assert demo.stdout.readline().startswith("Toolsight demo on http://127.0.0.1:")

    demo.send_signal(signal.SIGTERM)
    _, stderr = demo.communicate(timeout=STOP_SECONDS * 4)

    assert (demo.returncode, stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
