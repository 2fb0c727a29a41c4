"""Only our own host names are answered, and every answer carries the headers."""

import asyncio
import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

from dashboard.serving.security import (
    LOOPBACK_NAMES,
    Gate,
    content_security_policy,
    inline_script_hashes,
    is_loopback,
)

Message = dict[str, Any]
HASHES = ("'sha256-abc='",)


async def _page(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        headers = [(b"content-type", b"text/html"), (b"X-Frame-Options", b"SAMEORIGIN")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"page"})
    elif scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "lifespan.startup.complete"})


def _ask(kind: str, hosts: list[str], *, extensions: Message | None = None) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": f"{kind}.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "headers": [(b"host", host.encode()) for host in hosts],
        "extensions": extensions or {},
    }
    asyncio.run(Gate(_page, LOOPBACK_NAMES, HASHES)(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8501", "localhost", "LOCALHOST:1", "[::1]:8501", "localhost.:80"]
)
def test_our_own_names_are_answered(host: str) -> None:
    assert _ask("http", [host])[0]["status"] == 200
    assert _ask("websocket", [host]) == [{"type": "websocket.accept"}]


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["evil.test"],
        ["localhost.evil.test"],
        ["evil.test@localhost"],
        ["localhost:80/x"],
        ["localhost; script-src *"],
        ["localhost:http"],
        ["127.0.0.1", "evil.test"],
        ["é"],
    ],
)
def test_a_foreign_host_is_misdirected(hosts: list[str]) -> None:
    start, body = _ask("http", hosts)
    assert start["status"] == 421
    assert b"toolsight serve" in body["body"]

    refused = _ask("websocket", hosts, extensions={"websocket.http.response": {}})
    assert refused[0] == {**start, "type": "websocket.http.response.start"}
    assert _ask("websocket", hosts) == [{"type": "websocket.close", "code": 1008}]


def test_other_scopes_pass_through() -> None:
    assert _ask("lifespan", []) == [{"type": "lifespan.startup.complete"}]


def test_every_answer_carries_each_security_header_once() -> None:
    headers = _ask("http", ["localhost:8501"])[0]["headers"]
    names = [name.lower() for name, _ in headers]

    assert len(names) == len(set(names))
    found = dict(headers)
    assert found[b"content-type"] == b"text/html"
    assert found[b"x-frame-options"] == b"DENY"
    assert found[b"x-content-type-options"] == b"nosniff"
    assert found[b"referrer-policy"] == b"no-referrer"
    assert found[b"content-security-policy"].decode() == content_security_policy(
        "localhost:8501", HASHES
    )


def test_the_policy_names_no_other_host() -> None:
    policy = content_security_policy("127.0.0.1:8501", HASHES)

    assert "connect-src 'self' ws://127.0.0.1:8501" in policy
    assert "script-src 'self' blob: 'sha256-abc='" in policy
    assert "http:" not in policy
    assert "*" not in policy


def test_inline_scripts_are_allowed_by_their_hash(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("<script>\n  a = 1\n</script><script src='x.js'></script>", encoding="utf-8")

    digest = base64.b64encode(hashlib.sha256(b"\n  a = 1\n").digest()).decode()
    assert inline_script_hashes(page) == (f"'sha256-{digest}'",)


def test_streamlits_own_page_has_its_inline_script_allowed() -> None:
    from streamlit import file_util

    assert inline_script_hashes(Path(file_util.get_static_dir()) / "index.html")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),  # noqa: S104 - refused, never bound
        ("::", False),
        ("192.168.1.5", False),
        ("localhost.evil.test", False),
        ("", False),
    ],
)
def test_loopback_is_told_from_the_rest(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
