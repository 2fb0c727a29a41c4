"""OTLP over HTTP at its edges: sizes, deadlines, budgets, hosts, tokens and methods."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest

from dashboard.serving.receiver import OtlpHttp, Text
from ingest.receiver import Handler, Limits
from replay_store.commit import Committer
from tests.stores import memory_store

Message = dict[str, Any]
LIMITS = Limits(request_bytes=1_000, waiting_bytes=1_500, waiting_requests=2, body_seconds=0.3)
SPANS = b'{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}'
TOKEN = "a-token-of-some-length"  # noqa: S105
Headers = dict[str, str]


async def _text() -> Text:
    return Text(200, b"fine")


@pytest.fixture
def handler() -> Iterator[Handler]:
    with memory_store() as database:
        committer = Committer(database)
        committer.start()
        opened = Handler(committer, limits=LIMITS)
        yield opened
        committer.close()
        opened.close()


class Exchange:
    """One request and what was sent back."""

    def __init__(
        self,
        parts: Sequence[bytes] = (SPANS,),
        *,
        method: str = "POST",
        path: str = "/v1/traces",
        headers: Headers | None = None,
        pause: float = 0,
        is_cut: bool = False,
    ) -> None:
        given = {"host": "localhost:4318", "content-type": "application/json"} | (headers or {})
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        self._parts = list(parts)
        self._pause = pause
        self._is_cut = is_cut
        self.n_read = 0
        self.sent: list[Message] = []

    async def receive(self) -> Message:
        await asyncio.sleep(self._pause)
        if self._is_cut and self.n_read == len(self._parts):
            return {"type": "http.disconnect"}
        part = self._parts[self.n_read]
        self.n_read += 1
        has_more = self._is_cut or self.n_read < len(self._parts)
        return {"type": "http.request", "body": part, "more_body": has_more}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.sent[0]["headers"])

    @property
    def body(self) -> bytes:
        return bytes(self.sent[1]["body"])


def ask(handler: Handler, *exchanges: Exchange, token: str | None = None) -> None:
    app = OtlpHttp(
        handler,
        {"/healthz": _text, "/metrics": _text},
        token=token,
        is_host_known=lambda host: token is not None or host.startswith("localhost"),
    )

    async def all_of() -> None:
        await asyncio.gather(*(app(x.scope, x.receive, x.send) for x in exchanges))

    asyncio.run(all_of())


def test_an_export_in_parts_is_one(handler: Handler) -> None:
    exchange = Exchange([SPANS[:9], b"", SPANS[9:]])

    ask(handler, exchange)

    assert (exchange.status, exchange.body) == (200, b"{}")
    assert exchange.headers[b"content-type"] == b"application/json"
    assert b"connection" not in exchange.headers


@pytest.mark.parametrize(
    ("headers", "n_parts"), [({"content-length": "1001"}, 0), ({}, 11)], ids=["said", "seen"]
)
def test_a_body_over_the_limit_is_read_no_further_than_to_say_so(
    handler: Handler, headers: Headers, n_parts: int
) -> None:
    exchange = Exchange([b"x" * 100] * 30, headers=headers)

    ask(handler, exchange)

    assert exchange.status == 413
    assert b"1000 bytes" in exchange.body
    assert exchange.n_read == 30  # the rest is thrown away, so that the sender hears the answer
    assert handler.admission.n_bytes == handler.admission.n_requests == 0


def test_a_body_that_does_not_come_is_given_up(handler: Handler) -> None:
    exchange = Exchange([b"x"] * 100, pause=0.06)

    ask(handler, exchange)

    assert exchange.status == 408
    assert exchange.n_read < 100
    assert exchange.headers[b"connection"] == b"close"


def test_a_connection_that_ends_inside_its_body_stores_nothing(handler: Handler) -> None:
    exchange = Exchange([SPANS[:9]], is_cut=True)

    ask(handler, exchange)

    assert exchange.status == 400
    assert handler.counters.records() == {}


def test_more_bytes_at_once_than_the_budget_are_sent_away_to_come_again(handler: Handler) -> None:
    def large() -> Exchange:
        return Exchange([b" " * 450, b" " * 450, SPANS], pause=0.02)

    first, second = large(), large()

    ask(handler, first, second)

    assert sorted([first.status, second.status]) == [200, 503]
    refused = first if first.status == 503 else second
    assert int(refused.headers[b"retry-after"]) >= 1
    assert handler.admission.n_bytes == 0


def test_too_many_requests_at_once_are_429(handler: Handler) -> None:
    exchanges = [Exchange([b" ", SPANS], pause=0.05) for _ in range(4)]

    ask(handler, *exchanges)

    assert sorted(exchange.status for exchange in exchanges) == [200, 200, 429, 429]
    refused = next(exchange for exchange in exchanges if exchange.status == 429)
    assert b"retry-after" in refused.headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/traces", 405),
        ("OPTIONS", "/v1/traces", 405),
        ("PUT", "/v1/logs", 405),
        ("POST", "/", 404),
        ("POST", "/v1/trace", 404),
        ("GET", "/healthz", 200),
        ("HEAD", "/healthz", 200),
        ("GET", "/metrics", 200),
        ("POST", "/metrics", 404),
    ],
)
def test_only_what_there_is_is_answered_and_no_page_may_ask(
    handler: Handler, method: str, path: str, status: int
) -> None:
    exchange = Exchange(method=method, path=path, headers={"origin": "http://evil.test"})

    ask(handler, exchange)

    assert exchange.status == status
    assert not any(name.startswith(b"access-control") for name in exchange.headers)
    if status == 405:
        assert exchange.headers[b"allow"] == b"POST"


@pytest.mark.parametrize(("path", "status"), [("/v1/traces", 421), ("/healthz", 200)])
def test_a_foreign_host_name_is_refused(handler: Handler, path: str, status: int) -> None:
    method = "POST" if path == "/v1/traces" else "GET"
    exchange = Exchange(method=method, path=path, headers={"host": "evil.test"})

    ask(handler, exchange)

    assert exchange.status == status


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("/v1/traces", None, 401),
        ("/v1/traces", "Bearer wrong", 401),
        ("/v1/traces", f"Basic {TOKEN}", 401),
        ("/v1/traces", f"Bearer {TOKEN}", 200),
        ("/v1/traces", f"bearer  {TOKEN} ", 200),
        ("/metrics", None, 401),
        ("/metrics", f"Bearer {TOKEN}", 200),
        ("/healthz", None, 200),
    ],
)
def test_with_a_token_only_who_has_it_may_send(
    handler: Handler, path: str, given: str | None, status: int
) -> None:
    headers = {"host": "any.test"} | ({} if given is None else {"authorization": given})
    method = "POST" if path == "/v1/traces" else "GET"
    exchange = Exchange(method=method, path=path, headers=headers)

    ask(handler, exchange, token=TOKEN)

    assert exchange.status == status
    assert (b"www-authenticate" in exchange.headers) == (status == 401)


def test_a_stopped_store_is_503_until_it_runs_again(handler: Handler) -> None:
    handler.committer.close()
    exchange = Exchange()

    ask(handler, exchange)

    assert exchange.status == 503
    assert b"stopping" in exchange.body


async def _never() -> Message:
    raise AssertionError("nothing is read")


def test_a_websocket_is_passed_over(handler: Handler) -> None:
    app = OtlpHttp(handler, {}, is_host_known=lambda _: True)
    send: Callable[[Any], Awaitable[None]] = Exchange().send

    asyncio.run(app({"type": "websocket"}, _never, send))
