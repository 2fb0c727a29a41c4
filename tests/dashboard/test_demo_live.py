"""The live demo sends quiet traffic first, then each task when it has ended, and stops when told."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from dashboard.serving.demo_live import LiveDemo

BEGIN = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)


class _Receiver(HTTPServer):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: list[dict[str, Any]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: _Receiver

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        data = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append(json.loads(data))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Nothing: the test's output is no log."""


@pytest.fixture
def receiver() -> Iterator[_Receiver]:
    with _Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _ends(request: dict[str, Any]) -> list[int]:
    """When each trace of a request ended, in the order in which they stand in it."""
    ends: dict[str, int] = {}
    for resource in request["resourceSpans"]:
        for span in (span for scope in resource["scopeSpans"] for span in scope["spans"]):
            end = int(span["endTimeUnixNano"])
            ends[span["traceId"]] = max(end, ends.get(span["traceId"], end))
    return list(ends.values())


def test_tasks_are_sent_when_they_have_ended(receiver: _Receiver) -> None:
    moment = [BEGIN]
    waited: list[float] = []

    def wait(seconds: float) -> bool:
        moment[0] += timedelta(seconds=seconds)
        waited.append(seconds)
        return sum(seconds > 0 for seconds in waited) > 8

    LiveDemo(receiver.address, lambda: moment[0], wait, timedelta(minutes=2)).run()

    begin_ns = int(BEGIN.timestamp() * 1e9)
    ends = [end for request in receiver.taken for end in _ends(request)]
    before = [end for end in ends if end < begin_ns]
    after = [end for end in ends if end >= begin_ns]
    assert len(before) >= 3
    assert after == sorted(after)
    assert len(after) >= 8
    assert after[-1] <= moment[0].timestamp() * 1e9 + 1e6


def test_a_receiver_that_is_gone_is_no_crash(caplog: pytest.LogCaptureFixture) -> None:
    n_asked = [0]

    def wait(_: float) -> bool:
        n_asked[0] += 1
        return n_asked[0] > 2

    LiveDemo("http://127.0.0.1:9", lambda: BEGIN, wait, timedelta(minutes=1)).run()

    assert "not taken" in caplog.text
