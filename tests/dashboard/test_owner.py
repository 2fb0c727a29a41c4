"""Beside a running server commands go through it; without one, or a stale file, they do not."""

import http.server
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dashboard.cli.output import captured, routed
from dashboard.cli.served import packed, unpacked
from dashboard.errors import OwnerUnreachableError
from dashboard.serving.owner import new_owner, owner_path, read_owner, recorded
from replay_store.database import Database
from tests.serving import START_SECONDS, Server, ask, serving, toolsight


def _run(db: Path, *arguments: str) -> tuple[int, str, str]:
    process = toolsight(*arguments, "--db", str(db), cwd=db.parent)
    stdout, stderr = process.communicate(timeout=START_SECONDS)
    return process.returncode, stdout, stderr


def _export(path: Path, span_id: str = "1" * 16) -> Path:
    spans = [{"traceId": "1" * 32, "spanId": span_id, "name": "步骤"}]
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    return path


def test_the_file_is_the_users_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    owner = new_owner("http://127.0.0.1:1", otlp_port=2, grpc_port=3)

    with recorded(owner, db):
        assert stat.S_IMODE(owner_path(db).stat().st_mode) == 0o600
        assert read_owner(db) == owner
    assert read_owner(db) is None


def test_a_file_that_a_crash_left_is_replaced(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    owner_path(db).write_text("{half")
    owner_path(db).chmod(0o644)

    assert read_owner(db) is None
    with recorded(new_owner("http://127.0.0.1:1"), db):
        assert stat.S_IMODE(owner_path(db).stat().st_mode) == 0o600


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    owner_path(db).mkdir()

    with pytest.raises(OwnerUnreachableError, match="served by another user"):
        read_owner(db)


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 2.5, "文", Path("/tmp/x"), (1, "a", (Path("/b"),))],  # noqa: S108
)
def test_an_argument_survives_the_way_to_the_server(value: object) -> None:
    assert unpacked(json.loads(json.dumps(packed(value)))) == value


def test_a_relative_path_is_made_whole_and_other_things_are_refused() -> None:
    assert unpacked(packed(Path("x"))) == Path.cwd() / "x"
    with pytest.raises(click.UsageError, match="stop it first"):
        packed(object())


def test_output_goes_to_whoever_asked_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    written: dict[str, str] = {}

    def run(name: str) -> None:
        parts: list[str] = []
        with captured(parts.append, parts.append):
            for number in range(50):
                click.echo(f"{name}{number}")
                click.echo("!", err=True, nl=False)
        written[name] = "".join(parts)

    with routed():
        threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        click.echo("the rest")

    assert {name: text.count(name) for name, text in written.items()} == {"a": 50, "b": 50}
    assert capsys.readouterr().out == "the rest\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    db = tmp_path_factory.mktemp("owner") / "store.duckdb"
    with serving(db, is_measured=True) as server:
        yield server


@pytest.mark.slow
def test_ingest_report_and_intake_go_through_the_server(server: Server, tmp_path: Path) -> None:
    status, stdout, stderr = _run(server.db, "ingest", str(_export(tmp_path / "x.json")))
    assert status == 0, stderr
    assert "x.json" in stdout
    assert "reading" in stderr

    status, stdout, stderr = _run(server.db, "report", "--by", "trace", "--json")
    assert (status, list(json.loads(stdout))) == (0, ["1" * 32]), stderr
    status, stdout, _ = _run(server.db, "intake", "--json")
    assert (status, json.loads(stdout)["files"][0]["n_stored"]) == (0, 1)
    status, stdout, stderr = _run(server.db, "rebuild")
    assert (status, stdout) == (0, "1 span read again.\n"), stderr


@pytest.mark.slow
def test_a_failure_on_the_server_is_the_commands_failure(server: Server, tmp_path: Path) -> None:
    status, stdout, stderr = _run(server.db, "ingest", str(tmp_path / "missing"))

    assert status == 1
    assert "no such file" in stdout
    assert "Traceback" not in stderr


@pytest.mark.slow
@pytest.mark.parametrize("token", ["", "Bearer wrong"])
def test_who_cannot_read_the_file_runs_nothing(server: Server, token: str) -> None:
    body = json.dumps({"names": ["rebuild"], "parameters": {}}).encode()
    headers = {"authorization": token, "content-type": JSON}

    answer = ask(server.port, "POST", "/_toolsight/command", body, headers)

    assert answer.status == 401


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"", b"{}", b'{"names": 3}'])
def test_what_is_no_command_is_refused(server: Server, body: bytes) -> None:
    headers = {"authorization": f"Bearer {server.owner['token']}", "content-type": JSON}

    assert ask(server.port, "POST", "/_toolsight/command", body, headers).status == 400


@pytest.mark.slow
def test_an_unknown_command_is_told(server: Server) -> None:
    headers = {"authorization": f"Bearer {server.owner['token']}", "content-type": JSON}
    body = json.dumps({"names": ["nothing"], "parameters": {}}).encode()

    answer = ask(server.port, "POST", "/_toolsight/command", body, headers)

    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert "no such command" in lines[0]["err"]
    assert lines[-1] == {"status": 2}


@pytest.mark.slow
def test_a_stale_file_is_passed_over(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    Database.open(db).close()
    owner_path(db).write_text(
        json.dumps({"pid": 1, "url": "http://127.0.0.1:1", "token": "t", "otlp_port": 1})
    )

    status, stdout, stderr = _run(db, "intake")

    assert (status, stderr) == (0, "")
    assert "Nothing came in yet" in stdout


class _Foreign(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"I am no store")

    def log_message(self, *_: object) -> None:
        return None


@pytest.mark.slow
def test_a_foreign_process_on_the_old_port_is_passed_over(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    Database.open(db).close()
    with http.server.HTTPServer(("127.0.0.1", 0), _Foreign) as foreign:
        threading.Thread(target=foreign.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{foreign.server_port}"
        owner_path(db).write_text(json.dumps({"pid": 1, "url": url, "token": "t"}))

        status, _, stderr = _run(db, "report")
        foreign.shutdown()

    assert (status, stderr) == (0, "")


JSON = "application/json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "status", "says"),
    [
        ({"as_json": True}, 0, '"retry_rate"'),
        ({"as_json": True, "newer": 1}, 2, "newer: not an option in the server's version"),
    ],
)
def test_a_command_of_another_version_is_run_with_what_both_know(
    server: Server, parameters: dict[str, object], status: int, says: str
) -> None:
    headers = {"authorization": f"Bearer {server.owner['token']}"}
    body = json.dumps({"names": ["report"], "parameters": parameters}).encode()

    answer = ask(server.port, "POST", "/_toolsight/command", body, headers)

    parts = [json.loads(line) for line in answer.body.splitlines()]
    assert parts[-1] == {"status": status}
    assert says in "".join(part.get("out", "") + part.get("err", "") for part in parts)
