"""Canaries are tried, sent, kept and looked at; exit 1 says that a rule does not stop its own."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from tests.serving import Server, serving

GUARD = """
from pipeline.contracts import Registry, parse_contract
from pipeline.execution import Call
from pipeline.guard import BatchRule, Canary, DangerRule, Guard
from pipeline.contracts import Danger

EXPORT = parse_contract({"name": "export_orders", "danger": "bulk"})
CANARY = Canary(Call("canary", 0, "export_orders", {"scope": "all"}), "batch_export")
ALL = DangerRule({}, frozenset(Danger))


def strict(tracer):
    return Guard([ALL, BatchRule()], tracer), Registry([EXPORT]), [CANARY]


def forgetful(tracer):
    return Guard([ALL], tracer), Registry([EXPORT]), [CANARY]


def silent(tracer):
    return Guard([ALL]), Registry([EXPORT]), [CANARY]


def none(tracer):
    return Guard([ALL], tracer), Registry([EXPORT]), []
"""


@pytest.fixture
def guard(tmp_path: Path) -> Path:
    path = tmp_path / "my_guard.py"
    path.write_text(GUARD)
    return path


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DB", "TOKEN", "CONTRACT_FOLDER", "OTLP_PORT"):
        monkeypatch.delenv(f"TOOLSIGHT_{name}", raising=False)


def canary(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["canary", *arguments])


@contextmanager
def receiver(status: int = 200, answer: bytes = b"{}") -> Iterator[tuple[str, list[bytes]]]:
    """Takes one request after the other, and answers each the same."""
    bodies: list[bytes] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            bodies.append((self.headers["authorization"] or "").encode())
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Taking) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", bodies
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_a_canary_is_sent_kept_counted_and_left_out_of_every_figure(
    tmp_path: Path, guard: Path
) -> None:
    with serving(tmp_path / "store.duckdb") as server:
        assert _check(server).exit_code == 1, "no canary has come"
        sent = _send(server, f"{guard}:strict")
        assert (sent.exit_code, sent.output.split()[-3:]) == (
            0,
            ["batch_export", "export_orders", "stopped"],
        )
        assert _check(server, "--wait", "60").exit_code == 0

        assert _send(server, f"{guard}:forgetful").exit_code == 1
        answers = (json.loads(_check(server, "--json").output) for _ in range(500))
        (state,) = next(found for found in answers if found[0]["n"] == 2)
        assert (state["rule"], state["verdict"]) == ("batch_export", "got through")
        report = CliRunner().invoke(main, ["report", "--db", str(server.db), "--json"])
        hits = json.loads(report.output)["guard"]["hits"]
        assert (hits["n"], hits["exclusions"]) == (0, [{"reason": "synthetic", "n": 2}])
        checked = CliRunner().invoke(main, ["check", "--db", str(server.db), "--page"])
        assert checked.exit_code == 1
        assert "batch_export let its canary through" in checked.output


def _send(server: Server, reference: str) -> Result:
    return canary("send", "--guard", reference, "--to", f"http://127.0.0.1:{server.otlp_port}")


def _check(server: Server, *arguments: str) -> Result:
    return canary("check", "--db", str(server.db), *arguments)


def test_the_token_is_shown_and_the_package_rule_is_tried_on_contracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "refund.json").write_text('{"name": "refund_order", "danger": "money"}')
    monkeypatch.setenv("TOOLSIGHT_TOKEN", "a token of some length")
    with receiver() as (address, bodies):
        found = canary("send", "--contracts", str(tmp_path), "--to", address, "--json")

    assert json.loads(found.output) == [
        {"rule": "danger_level", "tool": "refund_order", "is_stopped": True, "stopped_by": None}
    ]
    (span,) = json.loads(bodies[0])["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert span["name"] == "guard danger_level"
    assert bodies[1] == b"Bearer a token of some length"


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (503, b"", "status 503"),
        (200, b'{"partialSuccess": {"rejectedSpans": "1"}}', "1 of 1 events refused"),
        (200, b"no json", "not taken"),
    ],
)
def test_what_was_not_taken_is_an_error(guard: Path, status: int, answer: bytes, said: str) -> None:
    with receiver(status, answer) as (address, _):
        found = canary("send", "--guard", f"{guard}:strict", "--to", address)

    assert found.exit_code == 1
    assert said in found.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--guard", "{guard}:silent"), "Guard(rules, tracer)"),
        (("--guard", "{guard}:none"), "no canary"),
        (("--guard", "{guard}:missing"), "has no function missing"),
        (("--contracts", "{folder}"), "none declares delete, bulk or money"),
        ((), "nothing to try"),
    ],
)
def test_a_guard_that_cannot_be_tried_says_what_is_missing(
    tmp_path: Path, guard: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "look.json").write_text('{"name": "query_order", "danger": "read"}')
    given = [text.format(guard=guard, folder=tmp_path) for text in arguments]
    found = canary("send", *given, "--to", "http://127.0.0.1:9")

    assert found.exit_code == 1
    assert said in found.output


def test_a_canary_of_long_ago_is_overdue(tmp_path: Path, guard: Path) -> None:
    with receiver() as (address, bodies):
        canary("send", "--guard", f"{guard}:strict", "--to", address)
    sent = tmp_path / "canary.otlp.jsonl"
    sent.write_bytes(bodies[0] + b"\n")
    db = str(tmp_path / "store.duckdb")
    CliRunner().invoke(main, ["ingest", "--db", db, str(sent)])

    assert canary("--db", db, "check").exit_code == 0
    late = canary("check", "--db", db, "--within", "0.000001")
    assert (late.exit_code, "overdue" in late.output) == (1, True)
