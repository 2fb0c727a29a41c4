"""What a trace's page will ask is asked while the browser still loads its scripts."""

import asyncio
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from dashboard import runtime
from dashboard.serving.look_ahead import LookAhead
from dashboard.settings import Settings
from dashboard.views.trace.queries import ask_ahead
from replay_store import Database, reader, story

if TYPE_CHECKING:
    from tests.dashboard.conftest import MakeSpan, WriteSpans

Request = tuple[str, str, str, bytes]
TRACE = "0af7651916cd43dd8448eb211c80319c"


async def _page(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


def _requested(app: LookAhead, *requests: Request, let: threading.Event | None = None) -> int:
    """Make the requests one after the other in one event loop; how many were answered."""
    answers: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    async def send(message: Any) -> None:
        answers.append(message)

    async def run() -> None:
        for kind, method, path, query in requests:
            scope = {"type": kind, "method": method, "path": path, "query_string": query}
            await app(scope, receive, send)
        if let is not None:
            let.set()

    asyncio.run(run())  # waits for what was begun
    return len(answers)


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        (("http", "GET", "/trace", b"trace_id=0A-0b&lang=zh"), ["0A-0b"]),
        (("http", "GET", "/trace", b"lang=zh&trace_id=%20ab%20"), ["ab"]),
        (("http", "GET", "/trace", b""), []),
        (("http", "GET", "/trace", b"trace_id="), []),
        (("http", "GET", "/trace", b"trace_id=" + b"a" * 5_000), []),
        (("http", "POST", "/trace", b"trace_id=ab"), []),
        (("websocket", "GET", "/trace", b"trace_id=ab"), []),
        (("http", "GET", "/traces", b"trace_id=ab"), []),
    ],
)
def test_only_the_page_of_a_named_trace_is_looked_ahead_for(
    request_: Request, wanted: Sequence[str]
) -> None:
    asked: list[str] = []

    assert _requested(LookAhead(_page, asked.append), request_) == 1
    assert asked == wanted


def test_one_trace_is_looked_at_at_a_time_and_nobody_waits_for_it() -> None:
    may_end, asked = threading.Event(), []

    def ask(wanted: str) -> None:
        asked.append(wanted)
        may_end.wait()

    requests: list[Request] = [
        ("http", "GET", "/trace", b"trace_id=first"),
        ("http", "GET", "/trace", b"trace_id=second"),
    ]
    assert _requested(LookAhead(_page, ask), *requests, let=may_end) == 2
    assert asked == ["first"]


def test_what_fails_ahead_is_left_to_the_page() -> None:
    def ask(wanted: str) -> None:
        asked.append(wanted)
        raise OSError("the disk is gone")

    asked: list[str] = []
    app = LookAhead(_page, ask)
    for name in ("first", "second"):
        assert _requested(app, ("http", "GET", "/trace", f"trace_id={name}".encode())) == 1
    assert asked == ["first", "second"]


def test_the_page_finds_what_was_asked_ahead(
    write_spans: "WriteSpans", make_span: "MakeSpan", monkeypatch: pytest.MonkeyPatch
) -> None:
    database = write_spans([make_span(trace_id=TRACE, span_id="00000000000000a1")])
    asked: list[str] = []

    def counted(module: Any, name: str) -> None:
        question = getattr(module, name)

        def ask(opened: Database, *values: Any, **named: Any) -> Any:
            asked.append(name)
            return question(opened, *values, **named)

        monkeypatch.setattr(module, name, ask)

    counted(reader, "trace_spans")
    counted(story, "trace_steps")
    counted(story, "fault_signs")
    runtime.start(runtime.Runtime(database, Settings()))
    try:
        for wanted in (TRACE.upper(), TRACE, "f" * 32, "no id"):
            ask_ahead(wanted)
    finally:
        runtime.stop()

    assert sorted(asked) == ["fault_signs", "trace_spans", "trace_steps"]
