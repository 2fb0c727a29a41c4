"""A real server process for tests: started on free ports, killed at the end."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from replay_store.database import Database
from tests.stores import lay_store

ROOT = Path(__file__).parents[1]
START_SECONDS = 60
STOP_SECONDS = 5
"""Within which a server ends well, on a machine of which it has its share."""
PROTOBUF = "application/x-protobuf"
JSON = "application/json"
_MEASURE = "COVERAGE_PROCESS_CONFIG"
"""Set by coverage.py for every process that a test starts."""


@dataclass(frozen=True)
class Answer:
    """One whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """One running server process."""

    process: "subprocess.Popen[str]"
    db: Path
    owner: dict[str, object]

    @property
    def port(self) -> int:
        return int(str(self.owner["url"]).rpartition(":")[2])

    @property
    def otlp_port(self) -> int:
        return int(str(self.owner["otlp_port"]))

    def get(self, path: str, host: str = "localhost") -> Answer:
        """What a page's address is answered with under that host name."""
        return ask(self.port, "GET", path, headers={"Host": host})

    def send(
        self, body: bytes, signal: str = "traces", content_type: str = PROTOBUF, **headers: str
    ) -> Answer:
        """What an export is answered with."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        all_headers = {"Content-Type": content_type, **named}
        return ask(self.otlp_port, "POST", f"/v1/{signal}", body, all_headers)


def ask(
    port: int,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    patience: float = 30,
) -> Answer:
    """One request on a connection of its own; `patience` in seconds."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=patience)) as connection:
        connection.request(method, path, body, dict(headers or {}))
        answer = connection.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, named, answer.read())


def toolsight(
    *arguments: str, cwd: Path, is_measured: bool = True, **environment: str
) -> "subprocess.Popen[str]":
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", "from dashboard.cli import main; main()", *arguments],
        cwd=cwd,
        env=variables(is_measured=is_measured)
        | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def variables(*, is_measured: bool) -> dict[str, str]:
    """The environment for another process; unmeasured, its coverage is not taken."""
    ours = dict(os.environ)
    return ours if is_measured else {k: v for k, v in ours.items() if k != _MEASURE}


@contextmanager
def serving(
    db: Path, *arguments: str, is_measured: bool = False, **environment: str
) -> Iterator[Server]:
    """A server over that store, answering; killed at the end.

    One that is measured is asked to end instead: whoever is killed leaves no coverage behind.
    """
    lay_store(db)
    ports = ("--port", "0", "--otlp-port", "0", "--grpc-port", "0")
    command = ("serve", "--db", str(db), *ports, *arguments)
    process = toolsight(*command, cwd=db.parent, is_measured=is_measured, **environment)
    try:
        yield Server(process, db, _owner(process, db))
    finally:
        if is_measured:
            process.terminate()
        else:
            process.kill()
        _, told = process.communicate()
        sys.stderr.write(told or "")  # shown beside a test that failed


def _owner(process: "subprocess.Popen[str]", db: Path) -> dict[str, object]:
    """What the server's own file says once it listens."""
    path = db.with_name(f"{db.name}.server.json")
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"the server ended: {process.communicate()}")
        try:
            owner: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            time.sleep(0.05)
            continue
        if owner["pid"] == process.pid and _answers(int(str(owner["url"]).rpartition(":")[2])):
            return owner
        time.sleep(0.05)
    raise AssertionError(f"no answer within {START_SECONDS} s")


def _answers(port: int) -> bool:
    try:
        return ask(port, "GET", "/healthz").status == 200
    except OSError:
        return False


def seconds_here(seconds: float) -> float:
    """What takes so long on an idle machine may take this long here, where others wait for a core."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def free_port() -> int:
    """A port that nothing listens on just now."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def span_ids(db: Path) -> list[str]:
    """The ids of every stored span version, once no server owns the store."""
    with Database.open(db) as database:
        rows = database.rows("select hex_span(span_id) as id from span order by id")
    return [row["id"] for row in rows]
