"""Who may talk to the server, and what a page may load: a pure ASGI middleware.

Streamlit checks the Host header for its websocket only, and sends no content security policy; both
are closed here, for every route.
"""

import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from dashboard.settings import Settings

__all__ = [
    "LOOPBACK_NAMES",
    "Gate",
    "content_security_policy",
    "host_name",
    "inline_script_hashes",
    "is_loopback",
    "known_hosts",
    "script_hash",
]

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_FIXED_HEADERS: Final = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
_MISDIRECTED: Final = 421
_REFUSAL: Final = (
    b"This server answers only to the name it was started with. "
    b"Open the address that `toolsight serve` printed.\n"
)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def inline_script_hashes(index_html: Path) -> tuple[str, ...]:
    """The sha256 sources of the inline scripts of Streamlit's page, as the policy writes them."""
    text = index_html.read_text(encoding="utf-8")
    return tuple(map(script_hash, re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)))


def script_hash(body: str) -> str:
    """The sha256 source of an inline script, as the policy writes it."""
    digest = hashlib.sha256(body.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def content_security_policy(host: str, script_hashes: Iterable[str]) -> str:
    """The policy of one page: everything from this server, nothing from anywhere else.

    Args:
        host: Host and port under which the page was asked for; its websocket is allowed.
        script_hashes: Sources of the inline scripts that may run.
    """
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: {' '.join(script_hashes)}".rstrip(),
            "worker-src 'self' blob:",
            "img-src 'self' data: blob:",
            "style-src 'self' 'unsafe-inline'",
            "font-src 'self' data:",
            f"connect-src 'self' ws://{host}",
            "frame-ancestors 'none'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


class Gate:
    """Lets in requests for our own host names, and adds the security headers to every answer."""

    def __init__(
        self,
        app: "ASGIApp",
        hosts: frozenset[str],
        script_hashes: tuple[str, ...],
        *,
        is_any_ip: bool = False,
    ) -> None:
        self._app = app
        self._is_any_ip = is_any_ip
        self._hosts = hosts
        self._script_hashes = script_hashes

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Refuse a foreign Host with 421, otherwise pass on and add the headers."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        host = _host(scope)
        if host is None or not self._is_ours(host_name(host)):
            await _refuse(scope, send)
            return

        async def send_with_headers(message: "Message") -> None:
            if message["type"] == "http.response.start":
                message["headers"] = self._with_headers(host, message.get("headers", ()))
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _is_ours(self, name: str) -> bool:
        """An address cannot be rebound by a foreign name server, so any of this machine's will do."""
        return name in self._hosts or (self._is_any_ip and _is_ip(name))

    def _with_headers(
        self, host: str, headers: Iterable[tuple[bytes, bytes]]
    ) -> list[tuple[bytes, bytes]]:
        ours = _FIXED_HEADERS | {
            b"content-security-policy": content_security_policy(host, self._script_hashes).encode()
        }
        kept = [(name, value) for name, value in headers if name.lower() not in ours]
        return [*kept, *ours.items()]


def known_hosts(settings: "Settings") -> frozenset[str]:
    """The names under which the pages may be asked for."""
    named = {settings.host.strip("[]"), *settings.allowed_hosts}
    if not is_loopback(settings.host):
        named.add(socket.gethostname())
    return LOOPBACK_NAMES | {name.lower() for name in named}


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host(scope: "Scope") -> str | None:
    values = [value for name, value in scope["headers"] if name == b"host"]
    if len(values) != 1:
        return None
    host: str = values[0].decode("latin-1")
    return host if re.fullmatch(r"[A-Za-z0-9.\-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?", host) else None


def host_name(host: str) -> str:
    """The name in a Host header, lower case, without port and brackets; empty when there is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


async def _refuse(scope: "Scope", send: "Send") -> None:
    prefix = "http.response"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008})
            return
        prefix = "websocket.http.response"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_FIXED_HEADERS.items()]
    await send({"type": f"{prefix}.start", "status": _MISDIRECTED, "headers": headers})
    await send({"type": f"{prefix}.body", "body": _REFUSAL})
