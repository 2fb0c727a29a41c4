"""With a token, nobody looks without it: pages, websocket, and the form that asks for it."""

import asyncio
from typing import Any
from urllib.parse import quote

import pytest

from dashboard.serving.login import LOGIN_PATH, SESSION_COOKIE, Login, session_of

TOKEN = "a token of some length & more"  # noqa: S105
Message = dict[str, Any]


async def _page(scope: Any, _receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    elif scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"the page"})
    else:
        await send({"type": "lifespan.startup.complete"})


def ask(
    path: str = "/",
    *,
    kind: str = "http",
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
    raw_token: str | None = None,
) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": kind, "path": path, "method": method, "headers": pairs}
    asyncio.run(Login(_page, TOKEN, frozenset({"/own"}), raw_token)(scope, receive, send))
    return sent


def _header(sent: list[Message], name: bytes) -> str:
    return str(next(value.decode() for key, value in sent[0]["headers"] if key == name))


def log_in(token: str, raw_token: str | None = None) -> list[Message]:
    body = f"token={quote(token)}".encode()
    return ask(LOGIN_PATH, method="POST", body=body, raw_token=raw_token)


def test_a_stranger_is_led_to_the_form() -> None:
    sent = ask("/traces")

    assert sent[0]["status"] == 303
    assert _header(sent, b"location") == LOGIN_PATH
    form = ask(LOGIN_PATH)
    assert form[0]["status"] == 200
    assert b'type="password"' in form[1]["body"]


def test_a_strangers_websocket_is_closed() -> None:
    assert ask("/_stcore/stream", kind="websocket") == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("path", ["/healthz", "/own"])
def test_some_paths_ask_for_nothing_here(path: str) -> None:
    assert ask(path)[0]["status"] == 200


def test_the_token_opens_everything_as_a_cookie_that_scripts_cannot_read() -> None:
    sent = log_in(TOKEN)
    cookie = _header(sent, b"set-cookie")

    assert sent[0]["status"] == 303
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    headers = {"cookie": f"other=1; {cookie.split(';')[0]}"}
    assert ask("/", headers=headers)[1]["body"] == b"the page"
    assert ask("/", kind="websocket", headers=headers) == [{"type": "websocket.accept"}]


@pytest.mark.parametrize("token", ["", "wrong", "令牌", TOKEN + "x"])
def test_a_wrong_token_opens_nothing_and_waits(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setattr("dashboard.serving.login._WRONG_SECONDS", 0.0)
    sent = log_in(token)

    assert sent[0]["status"] == 403
    assert not any(name == b"set-cookie" for name, _ in sent[0]["headers"])
    assert b'role="alert">That is not the token' in sent[1]["body"]


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": "toolsight_session=guess"},
        {"cookie": "toolsight_session"},
        {"cookie": "\x01"},
        {"authorization": "Bearer guess"},
        {"authorization": TOKEN},
    ],
)
def test_a_guess_opens_nothing(headers: dict[str, str]) -> None:
    assert ask("/", headers=headers)[0]["status"] == 303


def test_a_program_may_show_the_token_itself() -> None:
    assert ask("/metrics", headers={"authorization": f"Bearer {TOKEN}"})[0]["status"] == 200


def test_the_lifespan_is_passed_on() -> None:
    assert ask(kind="lifespan") == [{"type": "lifespan.startup.complete"}]


RAW_TOKEN = "another token of some length"  # noqa: S105


def test_the_token_for_raw_outputs_opens_the_same_doors_with_a_session_of_its_own() -> None:
    assert session_of(RAW_TOKEN) != session_of(TOKEN)
    for headers in (
        {"cookie": f"{SESSION_COOKIE}={session_of(RAW_TOKEN)}"},
        {"authorization": f"Bearer {RAW_TOKEN}"},
    ):
        assert ask("/", headers=headers, raw_token=RAW_TOKEN)[0]["status"] == 200
        assert ask("/", headers=headers)[0]["status"] == 303
    sent = log_in(RAW_TOKEN, raw_token=RAW_TOKEN)
    assert _header(sent, b"set-cookie").startswith(f"{SESSION_COOKIE}={session_of(RAW_TOKEN)};")
    assert _header(log_in(TOKEN), b"set-cookie").startswith(
        f"{SESSION_COOKIE}={session_of(TOKEN)};"
    )
