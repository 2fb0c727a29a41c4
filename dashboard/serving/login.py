"""Who may look when other machines can reach the server: who has the token, or signs in elsewhere.

A pure ASGI middleware before everything, the websocket too; Streamlit's own login guards only what
the page script does.
"""

import asyncio
import hmac
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from dashboard.serving.oidc import OIDC_PATHS, SIGN_OUT_PATH

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from dashboard.serving.oidc import Oidc

__all__ = ["LOGIN_PATH", "SESSION_COOKIE", "Login", "session_of"]

LOGIN_PATH: Final = "/login"
SESSION_COOKIE: Final = "toolsight_session"
_OPEN_PATHS: Final = frozenset({"/healthz"})
_MAX_FORM_BYTES: Final = 4096
_WRONG_SECONDS: Final = 1.0
"""How long a wrong token waits for its answer."""
_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Toolsight</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>body{{font:16px system-ui,sans-serif;margin:20vh auto;max-width:22rem;padding:0 1rem}}
input,button{{font:inherit;padding:.5rem;width:100%;box-sizing:border-box;margin:.3rem 0}}
@media(prefers-color-scheme:dark){{body{{background:#0e1117;color:#fafafa}}}}</style>
<h1>Toolsight</h1>{ways}<p role="alert">{message}</p></html>"""
_FORM: Final = f"""<form method="post" action="{LOGIN_PATH}">
<label>Token · 令牌<input type="password" name="token" autofocus autocomplete="current-password">
</label><button>Sign in · 登录</button></form>"""
_ELSEWHERE: Final = f"""<p><a href="{LOGIN_PATH}?elsewhere=1">Sign in with your organisation · \
使用组织账号登录</a></p>"""
_SIGN_OUT: Final = f"""<p><a href="{SIGN_OUT_PATH}">Sign out · 退出</a></p>"""
_NOT_ALLOWED: Final = "{name} may not look here; ask who runs this server. · {name} 无权查看。"
_WRONG: Final = "That is not the token this server was started with. · 令牌不正确。"


class Login:
    """Lets in who has the token: as a cookie after the form, or as a bearer token.

    Args:
        app: What is guarded.
        token: The token; a session cookie is made from it, so a new token ends all sessions. None
            where people only sign in elsewhere.
        own_paths: Paths with a token of their own.
        raw_token: Another one, for those who may also see raw outputs; lets in like the first.
        oidc: Where people may sign in elsewhere; None for nowhere.
    """

    def __init__(
        self,
        app: "ASGIApp",
        token: str | None,
        own_paths: frozenset[str],
        raw_token: str | None = None,
        oidc: "Oidc | None" = None,
    ) -> None:
        self._app = app
        self._tokens = tuple(each for each in (token, raw_token) if each is not None)
        self._sessions = tuple(map(session_of, self._tokens))
        self._oidc = oidc
        self._open = _OPEN_PATHS | own_paths | (OIDC_PATHS if oidc is not None else frozenset())

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass on, show the form, or refuse."""
        if (
            scope["type"] not in {"http", "websocket"}
            or scope["path"] in self._open
            or self._is_known(scope)
        ):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["path"] != LOGIN_PATH:
            await _redirect(send, LOGIN_PATH)
        elif scope["method"] == "POST" and self._tokens:
            await self._log_in(receive, send)
        elif self._oidc is not None and scope.get("query_string") == b"elsewhere=1":
            await _redirect(send, self._oidc.start_address())
        else:
            await self._show(scope, send)

    def _is_known(self, scope: "Scope") -> bool:
        for name, value in scope["headers"]:
            if name == b"cookie" and _which(_cookie(value).encode(), self._sessions) is not None:
                return True
            given = value.partition(b" ")[2].strip()
            if name == b"authorization" and _which(given, self._tokens) is not None:
                return True
        person = self._oidc.person(scope) if self._oidc is not None else None
        return person is not None and person.is_allowed

    async def _show(self, scope: "Scope", send: "Send") -> None:
        person = self._oidc.person(scope) if self._oidc is not None else None
        if person is None:
            await _page(send, 200, "", self._ways)
        else:
            await _page(send, 403, _NOT_ALLOWED.format(name=person.name), _SIGN_OUT + self._ways)

    @property
    def _ways(self) -> str:
        elsewhere = _ELSEWHERE if self._oidc is not None else ""
        return elsewhere + (_FORM if self._tokens else "")

    async def _log_in(self, receive: "Receive", send: "Send") -> None:
        given = parse_qs((await _form(receive)).decode("utf-8", "replace")).get("token", [""])[0]
        known = _which(given.strip().encode("utf-8", "replace"), self._tokens)
        if known is not None:
            session = self._sessions[known]
            cookie = f"{SESSION_COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict"
            await _redirect(send, "/", [(b"set-cookie", cookie.encode())])
            return
        await asyncio.sleep(_WRONG_SECONDS)
        await _page(send, 403, _WRONG, self._ways)


def session_of(token: str) -> str:
    """What the cookie of those holds who signed in with a token."""
    return hmac.new(token.encode(), b"toolsight session", sha256).hexdigest()


def _which(given: bytes, known: Sequence[str]) -> int | None:
    """The place of the one that was given, in a time that does not tell; None when it is none."""
    same = [hmac.compare_digest(given, each.encode()) for each in known]
    return same.index(True) if True in same else None


def _cookie(header: bytes) -> str:
    try:
        found = SimpleCookie(header.decode("latin-1")).get(SESSION_COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None and found.value.isascii() else ""


async def _form(receive: "Receive") -> bytes:
    body, has_more = b"", True
    while has_more and len(body) <= _MAX_FORM_BYTES:
        message = await receive()
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
    return body[:_MAX_FORM_BYTES]


async def _redirect(
    send: "Send", path: str, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    all_headers = [(b"location", path.encode()), (b"content-length", b"0"), *(headers or ())]
    await send({"type": "http.response.start", "status": 303, "headers": all_headers})
    await send({"type": "http.response.body", "body": b""})


async def _page(send: "Send", status: int, message: str, ways: str) -> None:
    body = _PAGE.format(ways=ways, message=escape(message)).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
